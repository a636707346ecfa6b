/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Attacks in every field of a listing: nothing is requested, nothing runs, every text stays text, every page is in order. */
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createGuardedFetch } from '../../../../core/egress/guarded-fetch.ts';
import { composeDocument } from '../../../../workers/pdf/compose-document.ts';
import { openDesigns } from '../../../../workers/pdf/layout/designs.ts';
import { Listing } from '../../../../workers/pdf/listing.ts';
import { openPhotoCache } from '../../../../workers/pdf/photos/photo-cache.ts';
import { extractSvg } from '../../../../workers/pdf/print/extract-svg.ts';
import { countPages } from '../../../../workers/pdf/print/pdf-file.ts';
import { createPlaceholders } from '../../../../workers/pdf/print/placeholders.ts';
import type { Printer } from '../../../../workers/pdf/print/printer.ts';
import { usualListing } from '../../../support/extreme-listings.ts';
import { jobContext } from '../../../support/job-context.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../support/loopback-server.ts';
import { testPrinter } from '../../../support/printing.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { fitAndFindFaults } from '../../../support/text-geometry.ts';

/** Elements, attributes and addresses that no template writes, and traces of scripts. Runs in the page. */
function findForeign(): string[] {
  const elements =
    'script, iframe, frame, object, embed, link, base, form, input, video, audio, foreignObject, image, picture';
  const found = [...document.querySelectorAll(elements)].map(element => `element ${element.tagName}`);
  if (document.querySelectorAll('style').length !== 1) found.push('another style sheet');
  for (const element of document.querySelectorAll('*')) {
    for (const { name, value } of element.attributes) {
      const isAddress = name === 'href' || name === 'src';
      if (name.startsWith('on') || name === 'srcdoc') found.push(`attribute ${name}`);
      if (name === 'style' && /[(\\"'<@]/.test(value)) found.push(`style ${value}`);
      if (isAddress && !/^(?:#[\w-]+$|tel:|mailto:|https:|data:image\/jpeg;base64,)/.test(value))
        found.push(`${name} ${value.slice(0, 80)}`);
    }
  }
  if (Reflect.has(window, 'attacked')) found.push('a script ran');
  return found;
}

let canary: LoopbackServer;
let printer: Printer;
const logged: string[] = [];

beforeAll(async () => {
  canary = await startLoopbackServer((_, response) => response.end());
  const logger = pino({ level: 'warn' }, { write: line => void logged.push(line) });
  printer = await testPrinter({ pages: 1, fit: fitAndFindFaults(findForeign), logger });
});
afterAll(async () => {
  await printer?.close();
  await canary?.close();
});

const attacksOf = (url: string): Record<string, string> => ({
  script: `<script>window.attacked=1;fetch("${url}/1")</script><img src=x onerror="window.attacked=1"><img src="${url}/2">`,
  attributes: `" onload="window.attacked=1" style="background:url(${url}/3)" ' onclick='window.attacked=1' x="`,
  'closed elements': `</title></style></svg></h1></section></body><iframe src="file:///etc/passwd"></iframe><base href="${url}/">`,
  CSS: `}</style><style>*{display:none;background:url(${url}/4)}@import url(${url}/5);@font-face{font-family:Manrope;src:url(${url}/6)}`,
  SVG: `<svg class="x" color="#000000" viewBox="0 0 9 9" onload="window.attacked=1"><image href="${url}/7"/><path d="M0 0h9"/></svg>`,
  'data URL': 'data:text/html,<script>window.attacked=1</script>',
  'javascript URL': 'javascript:window.attacked=1//',
  'file URL': 'file:///etc/passwd',
  'asset URL': `" src="https://brochure.invalid/fonts/Manrope-Regular.woff2" src="${url}/8`,
  template: '{{constructor.constructor("return process")()}} {{{@root.styles}}} {{> text}} #{7*7}',
  entities: '&lt;script&gt;window.attacked=1&lt;/script&gt; &#60;img src=x onerror=window.attacked=1&#62; &amp;lt;',
  bidi: '\u202eexe.gpj\u202c \u2066one \u2067two \u2068three \u200f\u200e\u061c end',
  'control characters': 'A\u0000B\u0007C\u001b[31mD\u0085E\u2028F\ufeffG\ufffe\u{e0041}\ue000 H\r\n\t\v\fI',
  'huge word': 'W'.repeat(1_000),
  emoji: '\u{1f3e1}\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\ufe0f\u{1f1e6}\u{1f1ea}'.repeat(40),
  'combining marks': 'Z\u0351\u036b\u0343\u0348\u0353 '.repeat(150),
  'right to left':
    '\u0641\u064a\u0644\u0627 \u0641\u0627\u062e\u0631\u0629 123 ABC \u05e2\u05d1\u05e8\u05d9\u05ea '.repeat(20),
  ligature: '\ufdfd\ufdfa'.repeat(200),
  'placeholder bytes': '\u00ff\u00d8\u00ff\u00fe\u0000Iportal:'.repeat(20),
});

function hostileListing(attack: string): Listing {
  const text = attack.slice(0, 990);
  const everywhere = Object.keys(usualListing).map(field => [field, text]);
  const agent = { id: text, name: text, email: text, phone: text, photo: text, brn_number: text };
  return Listing.parse({
    ...Object.fromEntries(everywhere),
    title_en: `Home ${text}`,
    agent,
    photo: [text, `${canary.origin}/9`],
  });
}

it.each([
  { design: 'classic', language: 'en' },
  { design: 'classic', language: 'ar' },
  { design: 'new', language: 'both' },
  { design: 'new', language: 'ar' },
] as const)('every page of the $design design ($language) survives attacks in every field', async choice => {
  const attacks = attacksOf(canary.origin);
  const listings = [...Object.values(attacks).map(hostileListing), Listing.parse(usualListing)];
  const design = await (await openDesigns({ BRANDS_DIR: undefined }))({ ...choice, cover: true });
  const fetcher = createGuardedFetch();
  const source = { fetcher, cache: openPhotoCache(temporaryFolder()) };
  const { prepared } = await composeDocument(listings, design, source, jobContext());
  await fetcher.close();

  const written = design.html(prepared);
  expect(written).not.toContain('<script>window.attacked');
  expect(written).toContain('javascript:window.attacked');
  const { html, drawings } = extractSvg(written);
  const assets = new Map([...design.assets, ...(await createPlaceholders(drawings))]);
  const { fits, pdf } = await printer.print({ html, assets, signal: AbortSignal.timeout(60_000) });
  const names = [...Object.keys(attacks), 'none'];
  const nameOf = (_: string, at: string) => `attack ${names[Number(at)]}`;
  expect(fits.map(({ field }) => field.replace(/^listing (\d+)/, nameOf))).toEqual([]);
  expect(countPages(pdf)).toBe(design.pagesOf(prepared));
  expect(logged.filter(line => line.includes('blocked'))).toEqual([]);
  expect(canary.requests).toEqual([]);
  // Without compressed streams, whose bytes may spell anything; actions are plain objects.
  const file = pdf.toString('latin1').replaceAll(/\bstream\r?\n[\s\S]*?\bendstream\b/g, '');
  expect(file.match(/\/Type \/Page\b/g)).toHaveLength(design.pagesOf(prepared));
  expect(file).not.toMatch(/\/(?:JavaScript|JS|Launch|EmbeddedFile|SubmitForm|GoToR)\b/);
  for (const [, address = ''] of file.matchAll(/\/URI \(([^)]*)/g)) expect(address).toMatch(/^(?:https:|tel:|mailto:)/);
});
