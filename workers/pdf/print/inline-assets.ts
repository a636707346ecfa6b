/**
 * Puts all that a document shows into it, as `data:` addresses. A request for each picture would take the browser longer
 * than reading one of these, and so does opening a web archive: a page that never navigates prints in half the time.
 */
import type { Asset } from '../layout/design.ts';

/** By absolute URL. */
export type Assets = ReadonlyMap<string, Asset>;

/**
 * Where a document names a picture. A listing's text cannot look like it, for its quotes are escaped; it can look like the
 * `url()` of a style, and would be made larger without bound.
 */
const sources = /(?<=\ssrc=["'])https?:[^\s"']+/g;

/** @returns the document; an address that no asset has is left as it is */
export function inlineAssets(html: string, assets: Assets): string {
  return html.replace(sources, url => {
    const asset = assets.get(url);
    return asset ? dataUrl(asset) : url;
  });
}

/** RFC 2397. */
export function dataUrl({ body, contentType }: Asset): string {
  return `data:${contentType};base64,${body.toString('base64')}`;
}
