/** The map link of a listing's geopoints. */
import type { MapView } from '../listing-view.ts';
import { cleanText } from './clean-text.ts';
import { qrOf } from './qr.ts';

const latitudeLongitude = /^[([{]?\s*(-?\d{1,3}(?:\.\d+)?)\s*[,;|/ ]\s*(-?\d{1,3}(?:\.\d+)?)\s*[)\]}]?$/;

/** null for anything but a latitude and a longitude; 0, 0 is what CRMs store for "not set". */
export function mapOf(text: string): MapView | null {
  const match = latitudeLongitude.exec(cleanText(text));
  const latitude = Number(match?.[1] ?? Number.NaN);
  const longitude = Number(match?.[2] ?? Number.NaN);
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return null;
  if (latitude === 0 && longitude === 0) return null;
  const url = `https://www.google.com/maps/search/?api=1&query=${latitude},${longitude}`;
  return { url, coordinates: `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`, qr: qrOf(url) };
}
