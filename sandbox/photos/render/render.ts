// Renders the sandbox's property photos with three.js in headless Chromium, and draws its agents' portraits.
//
//   npx tsx sandbox/photos/render/render.ts [--draft] [names…]     all of them without names; --draft is small and quick
//
// `shots.js` lists the photos: each is a scene (scenes/) with a viewpoint, a palette and a time of day. A photo is
// the mean of some dozens of frames, each with its own lights, sub-pixel shift and lens point (light/), which is what
// makes its shadows soft and its light bounce. WebGL runs in software, at a minute or so a photo.
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import bundled from '@sparticuz/chromium';
import { chromium, type Page } from 'playwright';
import sharp from 'sharp';
import { drawPortraits } from './portraits.ts';
import { serveStudio } from './studio.ts';

const photos = fileURLToPath(new URL('../', import.meta.url));
const drafts = '/tmp/photo-drafts/';

interface Job {
  draft: boolean;
  folder: string;
}

const inStudio = <T>(page: Page, expression: string): Promise<T> =>
  page.evaluate<T>(`import('/main.js').then(studio => ${expression})`);

/** Film grain: without it smooth walls show bands once compressed. */
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
  const url = await inStudio<string>(page, `studio.render('${name}', ${options})`);
  const png = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
  const large = name.startsWith('big');
  const grained = await withGrain(png);
  await grained.jpeg({ quality: large ? 72 : 82, mozjpeg: large }).toFile(`${folder}${name}.jpg`);
}

async function main(args: string[]): Promise<void> {
  const draft = args.includes('--draft');
  const folder = draft ? drafts : photos;
  await mkdir(folder, { recursive: true });
  const wanted = args.filter(arg => !arg.startsWith('--'));
  if (wanted.length === 0) await drawPortraits(folder);
  const studio = await serveStudio();
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
    await page.goto(studio.origin);
    const names = wanted.length > 0 ? wanted : await inStudio<string[]>(page, 'studio.names');
    for (const name of names) {
      const start = Date.now();
      await photograph(page, name, { draft, folder });
      process.stdout.write(`${name} ${((Date.now() - start) / 1000).toFixed(1)} s\n`);
    }
  } finally {
    await browser.close();
    studio.close();
  }
}

await main(process.argv.slice(2));
