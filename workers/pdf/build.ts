/** A step of `npm run build`: compiles the template of the classic design, because MJML takes half a second of a start. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { templateFolder } from '../../core/runtime/discover.ts';
import { classicDesign } from './layout/classic-design.ts';

export default async function compileTemplates(out: string): Promise<void> {
  const page = await classicDesign.source(new URL('pdf/classic/', templateFolder));
  await writeFile(path.join(out, 'templates/pdf/classic/page.hbs'), page);
}
