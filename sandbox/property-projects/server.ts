/** Simulates the property-project system. No public API of such a system is known: its shape is an assumption. */
import { z } from 'zod';
import { createRandom } from '../kit/random.ts';
import { defineSandboxSystem } from '../kit/sandbox-system.ts';
import { addImages, type Image } from './images.ts';
import { ProjectError } from './project-error.ts';
import { addReference, addUnits } from './reference.ts';
import {
  seedAmenities,
  seedDevelopers,
  seedDistricts,
  seedEmirates,
  seedFinishes,
  seedProjects,
  seedUnitLayouts,
  seedUnitTypes,
} from './seed-places.ts';
import { seedUnits } from './seed-units.ts';
import { seedProjectUsers } from './seed-users.ts';
import { addUserChanges } from './users.ts';

const responseOf = ({ status, body }: ProjectError) => ({ status, body });

export default defineSandboxSystem({
  title: 'Property-project system (generic REST)',
  settings: z.object({
    messyData: z.boolean().default(false).describe('Whether rows are served in odd forms, as real accounts have them.'),
    imageMaxBytes: z.int().min(1).default(5_000_000).describe('Size limit of an image, in bytes.'),
  }),
  faults: {
    'error-500': responseOf(new ProjectError('internal', 'Something broke at node 7')),
    limit: responseOf(new ProjectError('rate_limited', 'Slow down')),
    unauthorized: responseOf(new ProjectError('unauthorized', 'Bad key')),
  },
  open({ collection, settings, onReset }) {
    const key = (row: { id: string | number }) => row.id;
    const projects = collection('projects', { seed: seedProjects, key });
    const units = collection('units', { seed: seedUnits, key });
    const users = collection('users', { seed: seedProjectUsers, key });
    const images = collection<Image>('images', { seed: () => [], key });
    const reference = {
      emirates: collection('emirates', { seed: seedEmirates, key }),
      districts: collection('districts', { seed: seedDistricts, key }),
      developers: collection('developers', { seed: seedDevelopers, key }),
      amenities: collection('amenities', { seed: seedAmenities, key }),
      'unit-types': collection('unit-types', { seed: seedUnitTypes, key }),
      finishes: collection('finishes', { seed: seedFinishes, key }),
      'unit-layouts': collection('unit-layouts', { seed: seedUnitLayouts, key }),
      projects,
      users,
    };
    const unitsOf = units.derive(rows => {
      const byProject = new Map<number, object[]>();
      for (const unit of rows) byProject.set(unit.project_id, [...(byProject.get(unit.project_id) ?? []), unit]);
      return byProject;
    });
    let random = createRandom('project users');
    onReset(() => {
      random = createRandom('project users');
    });
    const newUserId = (): string => {
      const id = `u-${random.hex(8)}`;
      return users.get(id) ? newUserId() : id;
    };

    return async app => {
      app.addHook('onRequest', async request => {
        // Images are public.
        if (request.method === 'GET' && /\/images\/[^/]+$/.test(request.url)) return;
        if (request.headers.authorization !== 'Bearer sandbox') throw new ProjectError('unauthorized', 'Bad key');
      });
      app.setErrorHandler((error: Error, _, reply) => {
        const projectError =
          error instanceof ProjectError ? error : new ProjectError('validation_failed', error.message);
        return reply.code(projectError.status).send(projectError.body);
      });
      app.setNotFoundHandler((_, reply) => reply.code(404).send(new ProjectError('not_found', 'No such path').body));
      for (const [path, rows] of Object.entries(reference)) addReference(app, path, rows, () => settings.messyData);
      addUnits(app, projects, unitsOf);
      addUserChanges(app, users, newUserId);
      await addImages(app, { images, maxBytes: () => settings.imageMaxBytes });
    };
  },
});
