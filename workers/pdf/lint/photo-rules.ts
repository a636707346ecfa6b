/** The photos, as far as their addresses tell; whether they answer, `photo-life.ts` asks. */
import type { Listing } from '../listing.ts';
import { type FieldFinding, hint, warning } from './finding.ts';

export function photoFindings({ photo, agent }: Listing): FieldFinding[] {
  const addresses = photo.flatMap((url, place) => addressFindings(url, `/photo/${place}`));
  const ofAgent = agent.photo === '' ? [] : addressFindings(agent.photo, '/agent/photo');
  const none =
    photo.length === 0
      ? [warning('photo-missing', '/photo', 'There is no photo; send at least one, the best first.')]
      : [];
  return [...none, ...addresses, ...ofAgent, ...repeated(photo)];
}

export const isPhotoAddress = (url: string): boolean =>
  URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

function addressFindings(url: string, field: string): FieldFinding[] {
  return isPhotoAddress(url) ? [] : [warning('photo-address', field, 'This is no http or https address.')];
}

function repeated(photo: readonly string[]): FieldFinding[] {
  return photo.flatMap((url, place) => {
    const first = photo.indexOf(url);
    if (first === place) return [];
    return [
      hint('photo-repeated', `/photo/${place}`, `The same photo as at place ${first}; send each once.`),
    ];
  });
}
