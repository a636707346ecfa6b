// Renders the sandbox's property photos with three.js in headless Chromium, and draws its agents' portraits.
//
//   npx tsx sandbox/photos/render/render.ts [--draft] [names…]     default: all photos; --draft: small and fast
//
// `shots.js` lists the photos: each has a scene (scenes/), a viewpoint, a palette and a time of day. A photo is the mean
// of dozens of frames, each with its own lights, sub-pixel shift and lens point (light/); this gives soft shadows and
// indirect light. WebGL runs in software: about one minute for each photo.
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import bundled from '@sparticuz/chromium';
import { chromium, type Page } from 'playwright';
import sharp from 'sharp';
import { drawFloorPlans } from './floor-plans.ts';
import { drawPortraits } from './portraits.ts';
import { serveScenes } from './scene-server.ts';

const photos = fileURLToPath(new URL('../', import.meta.url));
const drafts = '/tmp/photo-drafts/';

interface Job {
  draft: boolean;
  folder: string;
}

const inPage = <T>(page: Page, expression: string): Promise<T> =>
  page.evaluate<T>(`import('/main.js').then(module => ${expression})`);

/** Adds film grain: without it, smooth walls show banding after compression. */
async function withGrain(png: Buffer): Promise<ReturnType<typeof sharp>> {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  let state = 1;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  for (let i = 0; i < data.length; i += info.channels) {
    const grain = (random() + random() - 1) * 5;
    for (let channel = 0; channel < 3; channel++) {
      data[i + channel] = Math.min(255, Math.max(0, (data[i + channel] ?? 0) + grain));
    }
  }
  return sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } });
}

async function photograph(page: Page, name: string, { draft, folder }: Job): Promise<void> {
  const options = JSON.stringify(draft ? { scale: 0.36, quality: 0.3 } : {});
  const url = await inPage<string>(page, `module.render('${name}', ${options})`);
  const png = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
  const large = name.startsWith('big');
  const grained = await withGrain(png);
  await grained.jpeg({ quality: large ? 72 : 82, mozjpeg: large }).toFile(`${folder}${name}.jpg`);
}

async function main(args: string[]): Promise<void> {
  const draft = args.includes('--draft');
  const folder = draft ? drafts : photos;
  await mkdir(folder, { recursive: true });
  const selected = args.filter(arg => !arg.startsWith('--'));
  if (selected.length === 0) await Promise.all([drawPortraits(folder), drawFloorPlans(folder)]);
  const server = await serveScenes();
  const browser = await chromium.launch({
    executablePath: await bundled.executablePath(),
    args: [
      '--no-sandbox',
      '--use-gl=angle',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--ignore-gpu-blocklist',
    ],
  });
  try {
    const page = await browser.newPage();
    page.on('pageerror', error => process.stderr.write(`${error.message}\n`));
    page.setDefaultTimeout(0);
    await page.goto(server.origin);
    const names = selected.length > 0 ? selected : await inPage<string[]>(page, 'module.names');
    for (const name of names) {
      const start = Date.now();
      await photograph(page, name, { draft, folder });
      process.stdout.write(`${name} ${((Date.now() - start) / 1000).toFixed(1)} s\n`);
    }
  } finally {
    await browser.close();
    server.close();
  }
}

await main(process.argv.slice(2));
