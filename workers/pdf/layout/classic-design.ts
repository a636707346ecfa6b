/** The classic design: one page per listing, with a template in MJML. `classic-photos.ts` places its photos. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Listing } from '../listing.ts';
import {
  arrange,
  linesMm,
  locationFrameLines,
  locationLines,
  maxPhotos,
  minHeroLines,
  spareLinesOf,
  textLines,
} from './classic-photos.ts';
import type { DesignDefinition } from './design.ts';
import type { Labels } from './labels.ts';
import type { ListingView } from './view/listing.ts';
import { directionOfStory } from './view/story.ts';

export const classicDesign: DesignDefinition = {
  name: 'classic',
  pagesOf: () => 1,
  maxPhotos,
  agentSlot: { name: 'agent', widthMm: linesMm(10), heightMm: linesMm(10), crop: 'centre' },
  arrange,
  source,
  page: pageOf,
};

/** Fields that the page shows in its header or above its title. */
const shownElsewhere = new Set<keyof Listing>(['reference_number', 'property_type', 'completion_status']);

function pageOf(view: ListingView, labels: Labels) {
  const hero = view.photos.filter(photo => photo.slot.startsWith('hero'));
  const others = view.photos.filter(photo => photo.slot.startsWith('strip'));
  const [strip, side] = others.length === 1 ? [[], others] : [others, []];
  const details = view.details.filter(row => !shownElsewhere.has(row.field));
  const spareLines = spareLinesOf({
    heroMm: hero[0]?.heightMm ?? linesMm(minHeroLines),
    stripMm: strip[0]?.heightMm ?? 0,
    hasSidePhoto: side.length > 0,
    amenities: view.amenities.length,
    details: details.length,
    bilingual: labels.second === null ? undefined : { title_ar: view.titleArabic?.text ?? '' },
  });
  /** The rows of instalments and addresses, which may take a second line. */
  const longRows = details.filter(({ field }) => field === 'payment_plan' || field.endsWith('_url')).length;
  const location = locationWithin(spareLines - longRows * textLines, view);
  const hasAside = side.length > 0 || view.hasAmenities || details.length > 0 || location !== null;
  const absent = [
    hero.length === 0 && 'no-hero',
    !view.hasStory && 'no-story',
    !hasAside && 'no-aside',
    spareLines < longRows * textLines && 'dense',
  ];
  return {
    /** Class names for absent parts, such as "no-hero no-story", whose gaps the style sheet closes, and for many rows. */
    absentClasses: absent.filter(Boolean).join(' '),
    kicker: kickerOf(view),
    placeDir: view.place[0]?.dir ?? 'ltr',
    hero,
    heroMm: hero[0]?.heightMm ?? linesMm(minHeroLines),
    strip,
    /** A single photo, above the amenities. */
    side,
    storyDir: directionOfStory(view.story),
    details,
    location,
    hasAside,
    hasBody: hasAside || view.hasStory,
    code: codeOf(view, labels),
  };
}

/** A map with its heading and attribution. */
const mapLines = 30;

/** The map when there is space for it, else the rows that fit, else null. */
function locationWithin(lines: number, { location }: ListingView) {
  if (location === null || lines < locationLines) return null;
  if (location.map && lines >= mapLines) return location;
  const rows = location.rows.slice(0, Math.floor((lines - locationFrameLines) / textLines));
  return rows.length === 0 ? null : { map: null, rows };
}

/** "For sale · Penthouse · Ready"; ''. Without duplicates: the badge of an off-plan home equals its completion. */
function kickerOf({ badge, propertyType, details }: ListingView): string {
  const completion = details.find(row => row.field === 'completion_status')?.value.text ?? '';
  const words = [badge?.label ?? '', propertyType, completion];
  return [...new Set(words.filter(Boolean))].join(' · ');
}

/** The number and the code in the footer: of the permit, or of the map when there is no permit. */
function codeOf({ permit, map, place }: ListingView, labels: Labels) {
  // The column is narrow: one language.
  if (permit?.qr) return { ...permit, text: permit.number, note: labels.plain('scanForRecord') };
  if (permit) return { ...permit, text: permit.number };
  if (!map) return null;
  const { url, qr } = map;
  const text = place[0]?.text ?? labels.plain('map');
  return { label: labels.label('location'), text, note: labels.plain('scanForMap'), url, qr };
}

/** The build contains the compiled page (build.ts). */
async function source(folder: URL): Promise<string> {
  const compiled = new URL('page.hbs', folder);
  if (existsSync(compiled)) return await readFile(compiled, 'utf8');
  const content = await compileMjml(await readFile(new URL('page.mjml', folder), 'utf8'));
  return `<!doctype html>
<html lang="{{lang}}" dir="{{dir}}">
<head>
<meta charset="utf-8">
<title>{{title}}</title>
<style>{{{styles}}}</style>
</head>
<body{{#if bilingual}} class="bilingual"{{/if}}>
{{{iconSheet}}}
${content}
</body>
</html>`;
}

/** Tables for Outlook in comments; MJML adds suffixes to their classes, which breaks Handlebars blocks. */
const conditionalComments = /<!--\[if[\s\S]*?<!\[endif\]-->/g;

/** MJML wraps the message in one element with `role="article"`. */
const messageElement = /<body[^>]*>\s*<div[^>]*>([\s\S]*)<\/div>\s*<\/body>/;

/** Classes that only MJML's head defines. */
const columnClasses = /mj-column-[\w-]+ mj-outlook-group-fix ?/g;

/**
 * The markup inside MJML's wrappers, with Handlebars expressions unchanged. Drops MJML's head, which loads web fonts and
 * sets column widths for screens.
 * @throws Error for invalid MJML
 */
export async function compileMjml(source: string): Promise<string> {
  // Lazy: workers of other job kinds do not need MJML.
  const { default: mjml2html } = await import('mjml');
  const { html } = await mjml2html(source, { validationLevel: 'strict', keepComments: false });
  const content = messageElement.exec(html.replace(conditionalComments, ''))?.[1];
  if (content === undefined) throw new Error('The MJML output has no body element.');
  return content
    .replace(columnClasses, '')
    .replace(/\s*\n\s*/g, '\n')
    .trim();
}
