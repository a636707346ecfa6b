/** The baseline: Fastify with one route that answers nothing, as a process of its own. */
import Fastify from 'fastify';

const app = Fastify();
app.get('/', async () => '');
const address = await app.listen({ port: 0, host: '127.0.0.1' });
process.send?.({ ready: address });
process.once('disconnect', () => process.exit());
