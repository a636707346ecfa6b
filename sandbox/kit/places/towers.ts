/** Names of towers and blocks: unique in their parent, and the same ones again in other communities, as in life. */
import type { Random } from '../random.ts';
import { arabicName } from './arabic-names.ts';

const firstWords =
  'Pearl,Marina,Palm,Golden,Silver,Blue,Green,Sky,Sea,Sunset,Sunrise,Star,Moon,Desert,Oasis,Royal,Crystal,Park,Lake,Golf,Garden,Falcon,Azure,Iris,Jasmine,Orchid,Lotus,Opal,Coral,Amber,Ivory,Cedar,Sahara,Al Noor,Al Waha,Al Manara,Al Safa,Al Fajr,Al Badia,Al Seef,Zain,Noura,Sama,Hayat,Rimal,Dana,Yasmin,Lamar,Tala,Nova'.split(
    ',',
  );
const kinds = ['Tower', 'Residence', 'Heights', 'Court', 'House', 'Plaza', 'Gardens', 'Terrace'];

interface TowerName {
  name: string;
  nameAr: string;
}

export function nameTowers(random: Random, count: number): TowerName[] {
  const names = new Map<string, TowerName>();
  const numbered = random.chance(0.35);
  while (names.size < count) {
    const name = numbered && names.size < 30 ? `Building ${names.size + 1}` : drawName(random);
    names.set(name, { name, nameAr: arabicName(name) });
  }
  return [...names.values()];
}

function drawName(random: Random): string {
  const name = `${random.pick(firstWords)} ${random.pick(kinds)}`;
  if (random.chance(0.55)) return name;
  return `${name} ${random.chance(0.5) ? random.whole(1, 6) : random.pick(['A', 'B', 'C', 'D'])}`;
}
