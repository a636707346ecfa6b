/** Baseline: a process with Fastify and one route with an empty response. */
import Fastify from 'fastify';

const app = Fastify();
app.get('/', async () => '');
const address = await app.listen({ port: 0, host: '127.0.0.1' });
process.send?.({ ready: address });
process.once('disconnect', () => process.exit());
