/**
 * @react-pdf/renderer: pages like the new design's, with the same photos already cut to size, the same words, and the
 * fonts every reader has (it embeds no WOFF2). It makes neither tags nor vector QR codes: those are left out.
 */
import { Document, Image, Link, Page, renderToBuffer, StyleSheet, Text, View } from '@react-pdf/renderer';
import { createElement } from 'react';
import { answer } from './answer.mjs';

const mm = 72 / 25.4;
const styles = StyleSheet.create({
  page: { fontFamily: 'Helvetica', fontSize: 9.2, lineHeight: 1.45, color: '#12312E' },
  photo: { position: 'absolute', objectFit: 'fill' },
  under: { position: 'absolute', top: 178 * mm, left: 14 * mm, right: 14 * mm },
  headline: { position: 'absolute', top: 130 * mm, left: 14 * mm, right: 14 * mm, color: '#FFFFFF' },
  title: { fontFamily: 'Times-Bold', fontSize: 28, lineHeight: 1.1 },
  price: { fontFamily: 'Times-Bold', fontSize: 26 },
  facts: { flexDirection: 'row', justifyContent: 'space-between', marginVertical: 4 * mm },
  columns: { flexDirection: 'row', gap: 4 * mm },
  story: { flex: 2 },
  card: { flex: 1, backgroundColor: '#F4EFE7', padding: 4 * mm },
  file: { position: 'absolute', top: 180 * mm, left: 14 * mm, right: 14 * mm },
  heading: { fontFamily: 'Helvetica-Bold', fontSize: 13, marginTop: 3 * mm },
  row: { flexDirection: 'row', justifyContent: 'space-between' },
});

const e = createElement;
const line = (text, style = {}) => e(Text, { style }, text);

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
      ),
    ),
  ];
}

answer(
  ({ listings }) =>
    renderToBuffer(e(Document, { title: 'Listings', language: 'en' }, ...listings.flatMap(pagesOf))),
  async () => undefined,
);
