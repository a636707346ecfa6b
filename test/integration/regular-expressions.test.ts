/** No regular expression takes more than linear time in the length of a text that a caller sends. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { check } from 'recheck';
import { expect, it } from 'vitest';
import { mapConcurrent } from '../../core/runtime/map-concurrent.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Expressions that are not linear, or that `recheck` cannot decide, with what bounds the text that they read. */
const bounded: Record<string, readonly string[]> = {
  'a setting, or the output of a program': [
    '/<(.+)>$/',
    String.raw`/\/+$/`,
    String.raw`/^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(\/[\w./-]*)?(?:\?(.*))?$/`,
    '/lock file .* already exists|shared memory block|could not (bind|create any TCP)|Address already in use/',
    '/No usable sandbox|sandbox.*(denied|not permitted)|Failed to move to new namespace/i',
  ],
  'the text of a vendor, cut to 300 characters': [
    String.raw`/: (.+?)(?: \(\S+\))?\.$/`,
    String.raw`/[.\s]+$/`,
    String.raw`/[^\s"'<>(),;:@]{1,64}@[^\s"'<>(),;:@]{1,253}/g`,
  ],
  'at most 255 steps for each character': [
    '/[a-z][a-z-]{0,40}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/',
    String.raw`/<\/?(?:p|br|div|span|ul|li|b|strong|i|em|h\d)\b[^<>]{0,200}>|&(?:nbsp|amp|lt|gt);/i`,
    String.raw`/\S{1,64}@\S+/g`,
    String.raw`/(?:permit|trakheesi|madmoun|madhmoun|تصريح)[^\d\n]{0,20}(\d{5,20})/gi`,
    String.raw`/(?:Could not find |, )([A-Z][\w ]{0,60}?): ([^,]*)/g`,
    String.raw`/is linked with (\S[^“”]{0,140}) “([^”]{1,140})”/`,
    String.raw`/[^\s<>"'():;,@]{1,64}@[^\s<>"'():;,@]{1,253}\w/g`,
  ],
  'a line of a description, a title, a reference number or a sum of money, at most 7,500 characters': [
    String.raw`/^[-–—*•·▪✓✔✅\s]{0,9}([\p{L}][\p{L}\p{M} .-]{1,26}?) ?[:：] ?(\S.*)$/u`,
    String.raw`/(?<=[.!?؟])\s+/`,
    String.raw`/^[\s\S]*[.!?؟。](?=\s+[^\p{Ll}\d]|\s*$)/u`,
    '/0+$/',
    '/^[-.]+|[-.]+$/g',
    String.raw`/[\s,;:·–—-]+$/`,
    String.raw`/^[^\p{L}\p{N}("'“‘]+|[^\p{L}\p{N})"'”’]+$/gu`,
  ],
  'a document of our templates, in which texts of callers are escaped': [
    String.raw`/(?<=\ssrc=["'])https?:[^\s"']+/g`,
    String.raw`/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gs`,
    String.raw`/<[^>]*?\salt="([^"]*)"[^>]*>/g`,
    '/<[^>]*>/g',
    String.raw`/<!--\[if[\s\S]*?<!\[endif\]-->/g`,
    String.raw`/<body[^>]*>\s*<div[^>]*>([\s\S]*)<\/div>\s*<\/body>/`,
    String.raw`/mj-column-[\w-]+ mj-outlook-group-fix ?/g`,
    String.raw`/\s*\n\s*/g`,
    String.raw`/<style\b[^>]*>[\s\S]*?<\/style>/g`,
    String.raw`/@font-face\s*\{([^}]*)\}/g`,
    String.raw`/<svg class="([^"]*)" color="([^"]*)"([^>]*)>(.*?)<\/svg>/gs`,
    String.raw`/<symbol id="([^"]*)"([^>]*)>(.*?)<\/symbol>/gs`,
    String.raw`/<(\w+)\b([^>]*?)\/?>/g`,
    String.raw`/([\w:-]+)="([^"]*)"/g`,
    String.raw`/\d+$/`,
    String.raw`/<\/body>(?![\s\S]*<\/body>)/`,
  ],
  'a style sheet of a font package, or our own': [
    String.raw`/files\/([\w-]+)-400-normal\.woff2\)[^}]*unicode-range: ([^;]+);/g`,
    "/font-family: '([^']+)'[^}]*unicode-range: ([^;]+);/g",
  ],
  'a PDF that our browser wrote': [
    String.raw`/(?<=endcodespacerange\n).*(?=endcmap)/s`,
    String.raw`/(-?[\d.]+) (-?[\d.]+) Tm$/m`,
    String.raw`/\((?:\\[\s\S]|[^\\()])*\)|(\d+) 0 R|(\/StructParents? )(\d+)/g`,
    String.raw`/(\d+) (\[[^\]]*\]|\d+ 0 R)/g`,
    String.raw`/(\d+) 0 R/g`,
    String.raw`/\/F(\d+) \S+ Tf|\/ActualText <(?:FEFF|feff)?(\w*)>|(EMC)|<(\w+)>/g`,
    String.raw`/<<\/Type \/StructElem\n\/S \/(\w+)\n\/P \d+ 0 R\n(?:\/Pg (\d+) 0 R\n)?\/K (\d+(?: 0 R)?|\[[\d R]*\])>>/`,
    String.raw`/<<\/Type \/(?:OBJR|MCR)[^>]*>>|\d+(?: 0 R)?/g`,
    String.raw`/\/Kids \[([^\]]*)\]/`,
    String.raw`/\/Annots \[([^\]]*)\]/`,
  ],
};

/** Without one, the time does not depend on the length of the text. */
const repetition = /[*+]|\{\d+,\d*\}/;

/** The expressions of the source and their files. */
function expressions(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const folder of ['api', 'core', 'workers'])
    for (const name of readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      const file = path.posix.join(folder, name.replaceAll('\\', '/'));
      const { program } = parseSync(file, readFileSync(path.join(root, file), 'utf8'));
      const add = (text: string) => found.set(text, [...(found.get(text) ?? []), file]);
      new Visitor({
        Literal: node => {
          if ('regex' in node) add(`/${node.regex.pattern}/${node.regex.flags}`);
        },
      }).visit(program);
    }
  return found;
}

/** Without limits of time for its stages, whose results would depend on the load of the machine. */
const search = {
  timeout: 20_000,
  randomSeed: 1,
  seedingTimeout: null,
  incubationTimeout: null,
  attackTimeout: null,
};

/** Undecided within the time limit counts as linear: on a busy machine that depends on its load. */
async function isVulnerable(text: string): Promise<boolean> {
  const [, pattern = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(text) ?? [];
  // `recheck` does not know the newest flags, which do not change the time.
  const { status } = await check(pattern, flags.replace(/[dv]/g, ''), search);
  return status === 'vulnerable';
}

it('are linear, or read a bounded text', { timeout: 900_000 }, async () => {
  const known = new Set(Object.values(bounded).flat());
  const unknown = [...expressions()].filter(([text]) => !known.delete(text) && repetition.test(text));
  const faults = await mapConcurrent(unknown, { limit: 2 }, async ([text, files]) => {
    return (await isVulnerable(text)) ? [`${text} in ${files.join(', ')}`] : [];
  });
  expect(faults.flat()).toEqual([]);
  expect([...known], 'expressions that no file has any more').toEqual([]);
});
