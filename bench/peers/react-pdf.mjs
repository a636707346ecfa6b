/**
 * @react-pdf/renderer: pages equivalent to the new design's, with the same resized photos, text, fonts, icons, logos,
 * rules, shadows, links and QR codes. Without tags, which the library does not support.
 */

import { fileURLToPath } from 'node:url';
import {
  Circle,
  Defs,
  Document,
  Ellipse,
  Font,
  Image,
  Line,
  LinearGradient,
  Link,
  Page,
  Path,
  Polygon,
  Polyline,
  Rect,
  renderToBuffer,
  Stop,
  StyleSheet,
  Svg,
  Text,
  View,
} from '@react-pdf/renderer';
import { createElement } from 'react';
import { serveDocuments } from './serve-documents.mjs';

const font = name => fileURLToPath(import.meta.resolve(`@fontsource/${name}-normal.woff`));
Font.register({
  family: 'Manrope',
  fonts: [
    { src: font('manrope/files/manrope-latin-400'), fontWeight: 400 },
    { src: font('manrope/files/manrope-latin-600'), fontWeight: 600 },
  ],
});
Font.register({
  family: 'Cormorant Garamond',
  src: font('cormorant-garamond/files/cormorant-garamond-latin-600'),
});

const mm = 72 / 25.4;
const ink = '#12312E';
const styles = StyleSheet.create({
  page: { fontFamily: 'Manrope', fontSize: 8.4, lineHeight: 1.45, color: ink },
  photo: { position: 'absolute', objectFit: 'fill' },
  lockup: {
    position: 'absolute',
    top: 12 * mm,
    left: 14 * mm,
    flexDirection: 'row',
    gap: 2 * mm,
    color: '#FFFFFF',
  },
  shade: { position: 'absolute', top: 0, left: 0, width: 210 * mm, height: 171.45 * mm },
  headline: { position: 'absolute', top: 134 * mm, left: 14 * mm, right: 14 * mm, color: '#FFFFFF' },
  badge: { backgroundColor: '#FFFFFF', color: ink, alignSelf: 'flex-start', padding: 1 * mm, fontSize: 7 },
  title: { fontFamily: 'Cormorant Garamond', fontSize: 26, lineHeight: 1.1 },
  under: { position: 'absolute', top: 176 * mm, left: 14 * mm, right: 14 * mm },
  price: { fontFamily: 'Cormorant Garamond', fontSize: 24 },
  row: { flexDirection: 'row', justifyContent: 'space-between' },
  spaced: {
    flexDirection: 'row',
    justifyContent: 'space-between',
    marginVertical: 3 * mm,
    paddingVertical: 3 * mm,
    borderTop: '0.5pt solid #C4CDCB',
    borderBottom: '0.5pt solid #C4CDCB',
  },
  ruled: {
    flexDirection: 'row',
    justifyContent: 'space-between',
    paddingVertical: 0.6 * mm,
    borderTop: '0.5pt solid #C4CDCB',
  },
  labelled: { flexDirection: 'row', gap: 1.5 * mm, marginBottom: 0.8 * mm },
  columns: { flexDirection: 'row', gap: 6 * mm },
  wide: { flex: 2 },
  half: { flex: 1 },
  card: { flex: 1, backgroundColor: '#F4EFE7', padding: 4 * mm },
  portrait: { width: 22 * mm, height: 22 * mm, borderRadius: 11 * mm },
  matter: { position: 'absolute', top: 164 * mm, left: 14 * mm, right: 14 * mm },
  heading: { fontWeight: 600, fontSize: 12, marginVertical: 2 * mm },
  ledger: {
    position: 'absolute',
    top: 240 * mm,
    left: 0,
    right: 0,
    padding: 8 * mm,
    backgroundColor: '#F4EFE7',
    flexDirection: 'row',
    justifyContent: 'space-between',
  },
  seal: { alignItems: 'flex-end' },
  disclaimer: { position: 'absolute', top: 277 * mm, left: 14 * mm, width: 110 * mm, fontSize: 6 },
  footer: {
    position: 'absolute',
    top: 286 * mm,
    left: 14 * mm,
    right: 14 * mm,
    flexDirection: 'row',
    justifyContent: 'space-between',
    fontSize: 6.5,
  },
});

const e = createElement;
const line = (text, style = {}, key = undefined) => e(Text, { key, style }, text);

const shapes = {
  path: Path,
  circle: Circle,
  rect: Rect,
  line: Line,
  ellipse: Ellipse,
  polyline: Polyline,
  polygon: Polygon,
};

const drawing = ({ viewBox, shapes: drawn }, side, look, key = undefined) =>
  e(
    Svg,
    { key, viewBox, style: { width: side * mm, height: side * mm } },
    ...drawn.map(({ kind, attributes }, index) => e(shapes[kind], { key: index, ...attributes, ...look })),
  );

const outline = { fill: 'none', stroke: ink, strokeWidth: 1.4 };
const white = { fill: 'none', stroke: '#FFFFFF', strokeWidth: 1.6 };

const labelled = ({ icon, text, href }, at) =>
  e(
    View,
    { key: at, style: styles.labelled },
    icon ? drawing(icon, 4, outline) : null,
    href ? e(Link, { src: href, style: { color: ink } }, text) : line(text),
  );

const placed = ({ file, left, top, width, height }, at) =>
  e(Image, {
    key: at,
    src: file,
    style: [styles.photo, { left: left * mm, top: top * mm, width: width * mm, height: height * mm }],
  });

/** Makes white text on the photo readable. */
const shade = id =>
  e(
    Svg,
    { style: styles.shade, viewBox: '0 0 210 171.45' },
    e(
      Defs,
      {},
      e(
        LinearGradient,
        { id, x1: 0, y1: 0, x2: 0, y2: 1 },
        e(Stop, { offset: '0%', stopColor: ink, stopOpacity: 0.5 }),
        e(Stop, { offset: '30%', stopColor: ink, stopOpacity: 0 }),
        e(Stop, { offset: '55%', stopColor: ink, stopOpacity: 0 }),
        e(Stop, { offset: '100%', stopColor: ink, stopOpacity: 0.9 }),
      ),
    ),
    e(Rect, { x: 0, y: 0, width: 210, height: 171.45, fill: `url('#${id}')` }),
  );

const footer = ([left, right] = ['', '']) => e(View, { style: styles.footer }, line(left), line(right));

/** @param listing see `PeerListing` in bench/support/peer-listings.ts */
function pagesOf(listing, index) {
  const [hero, ...gallery] = listing.photos;
  const [mark, ...otherMarks] = listing.marks;
  return [
    e(
      Page,
      { key: `${index}-1`, size: 'A4', style: styles.page, bookmark: listing.title },
      hero ? placed(hero, 0) : null,
      shade(`shade-${index}`),
      e(View, { style: styles.lockup }, mark ? drawing(mark, 9.5, white) : null, line(listing.house)),
      e(
        View,
        { style: styles.headline },
        line(listing.badge, styles.badge),
        line(listing.title, styles.title),
        line(listing.place),
      ),
      e(
        View,
        { style: styles.under },
        e(View, { style: styles.row }, line(listing.price, styles.price), line(listing.perSquareFoot)),
        e(View, { style: styles.spaced }, ...listing.facts.map(labelled)),
        e(
          View,
          { style: styles.columns },
          e(
            View,
            { style: styles.wide },
            line('About this home', styles.heading),
            ...listing.story.map((paragraph, at) => line(paragraph, { marginBottom: 1.5 * mm }, at)),
          ),
          e(
            View,
            { style: styles.card },
            listing.agent.photo ? e(Image, { src: listing.agent.photo, style: styles.portrait }) : null,
            line(listing.agent.name, styles.heading),
            line(listing.agent.role),
            ...listing.agent.ways.map(labelled),
          ),
        ),
      ),
      footer(listing.footers[0]),
    ),
    e(
      Page,
      { key: `${index}-2`, size: 'A4', style: styles.page },
      ...gallery.map(placed),
      e(
        View,
        { style: [styles.matter, styles.columns] },
        e(View, { style: styles.half }, line('Amenities', styles.heading), ...listing.amenities.map(labelled)),
        e(
          View,
          { style: styles.half },
          line('Details', styles.heading),
          ...listing.details.map(([label, value]) =>
            e(View, { key: label, style: styles.ruled }, line(label), line(value)),
          ),
        ),
      ),
      e(
        View,
        { style: styles.ledger },
        ...listing.codes.map(({ drawing: code, href, words }, at) =>
          e(
            View,
            { key: at, style: styles.labelled },
            e(Link, { src: href }, drawing(code, 22, { fill: '#000000' })),
            e(View, {}, ...words.map((each, of) => line(each, {}, of))),
          ),
        ),
        e(
          View,
          { style: styles.seal },
          ...otherMarks.map((each, at) => drawing(each, 11, outline, `mark-${at}`)),
          ...listing.seal.map((each, at) => line(each, {}, at)),
        ),
      ),
      line(listing.disclaimer, styles.disclaimer),
      footer(listing.footers[1]),
    ),
  ];
}

serveDocuments(
  ({ listings }) => renderToBuffer(e(Document, { title: 'Listings', language: 'en' }, ...listings.flatMap(pagesOf))),
  async () => undefined,
);
