/**
 * @react-pdf/renderer: pages like the new design's, with the same photos already cut to size, words, fonts, icons and
 * QR codes. It makes no tags: they are left out.
 */

import { fileURLToPath } from 'node:url';
import {
  Document,
  Font,
  Image,
  Link,
  Page,
  Path,
  renderToBuffer,
  StyleSheet,
  Svg,
  Text,
  View,
} from '@react-pdf/renderer';
import { createElement } from 'react';
import { answer } from './answer.mjs';

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
const styles = StyleSheet.create({
  page: { fontFamily: 'Manrope', fontSize: 9.2, lineHeight: 1.45, color: '#12312E' },
  photo: { position: 'absolute', objectFit: 'fill' },
  under: { position: 'absolute', top: 178 * mm, left: 14 * mm, right: 14 * mm },
  headline: { position: 'absolute', top: 130 * mm, left: 14 * mm, right: 14 * mm, color: '#FFFFFF' },
  title: { fontFamily: 'Cormorant Garamond', fontSize: 28, lineHeight: 1.1 },
  price: { fontFamily: 'Cormorant Garamond', fontSize: 26 },
  facts: { flexDirection: 'row', justifyContent: 'space-between', marginVertical: 4 * mm },
  columns: { flexDirection: 'row', gap: 4 * mm },
  story: { flex: 2 },
  card: { flex: 1, backgroundColor: '#F4EFE7', padding: 4 * mm },
  file: { position: 'absolute', top: 180 * mm, left: 14 * mm, right: 14 * mm },
  heading: { fontWeight: 600, fontSize: 13, marginTop: 3 * mm },
  row: { flexDirection: 'row', justifyContent: 'space-between' },
});

const e = createElement;
const line = (text, style = {}) => e(Text, { style }, text);

const drawing =
  (side, colour) =>
  ({ viewBox, paths }, at) =>
    e(
      Svg,
      { key: at, viewBox, style: { width: side * mm, height: side * mm } },
      ...paths.map((d, index) => e(Path, { key: index, d, ...colour })),
    );

/** @param listing see `PeerListing` in bench/support/peer-listings.ts */
function pagesOf(listing, index) {
  const photo = ({ file, left, top, width, height }, at) =>
    e(Image, {
      key: at,
      src: file,
      style: [styles.photo, { left: left * mm, top: top * mm, width: width * mm, height: height * mm }],
    });
  const [hero, ...gallery] = listing.photos;
  return [
    e(
      Page,
      { key: `${index}-1`, size: 'A4', style: styles.page, bookmark: listing.title },
      hero ? photo(hero, 0) : null,
      e(View, { style: styles.headline }, line(listing.title, styles.title), line(listing.place)),
      e(
        View,
        { style: styles.under },
        line(listing.price, styles.price),
        e(
          View,
          { style: styles.facts },
          ...listing.icons.map(drawing(5, { stroke: '#12312E', strokeWidth: 1.4 })),
        ),
        e(View, { style: styles.facts }, ...listing.facts.map((fact, at) => e(Text, { key: at }, fact))),
        e(
          View,
          { style: styles.columns },
          e(View, { style: styles.story }, line(listing.story)),
          e(
            View,
            { style: styles.card },
            line(listing.agent.name, styles.heading),
            e(Link, { src: `tel:${listing.agent.phone}` }, listing.agent.phone),
            e(Link, { src: `mailto:${listing.agent.email}` }, listing.agent.email),
          ),
        ),
      ),
    ),
    e(
      Page,
      { key: `${index}-2`, size: 'A4', style: styles.page },
      ...gallery.map(photo),
      e(
        View,
        { style: styles.file },
        line('Amenities', styles.heading),
        ...listing.amenities.map((amenity, at) => e(Text, { key: at }, amenity)),
        line('Details', styles.heading),
        ...listing.details.map(([label, value]) =>
          e(View, { key: label, style: styles.row }, line(label), line(value)),
        ),
        e(View, { style: styles.row }, ...listing.codes.map(drawing(22, { fill: '#000000' }))),
      ),
    ),
  ];
}

answer(
  ({ listings }) =>
    renderToBuffer(e(Document, { title: 'Listings', language: 'en' }, ...listings.flatMap(pagesOf))),
  async () => undefined,
);
