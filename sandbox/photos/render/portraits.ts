// Draws the portraits of the sandbox's agents: six illustrated busts of invented people.
import sharp from 'sharp';
import { blazer, ghutra, hijab, kandura, longHair, shortHair, suit } from './wardrobe.ts';

interface Look {
  /** Skin in light, in shade, and the lips. */
  skin: string;
  shade: string;
  lips: string;
  brow: string;
  iris: string;
  backdrop: [string, string];
  /** Half the width of the jaw, in pixels of the 600 pixel picture. */
  jaw: number;
  lashes: boolean;
  ears: boolean;
  /** SVG behind the head, over the body, and over the head. */
  behind: string;
  clothes: string;
  over: string;
}

const looks: Look[] = [
  {
    skin: '#e2b28e',
    shade: '#b57e5c',
    lips: '#b8685c',
    brow: '#3b2a22',
    iris: '#5a3a22',
    backdrop: ['#efe8dd', '#c6b8a4'],
    jaw: 62,
    lashes: true,
    ...hijab('#cdb497', '#a58a6b', '#3a3f49'),
  },
  {
    skin: '#d3a27c',
    shade: '#9f6d4c',
    lips: '#a8675a',
    brow: '#211a17',
    iris: '#3a2617',
    backdrop: ['#dfe5ea', '#a9b6c1'],
    jaw: 70,
    lashes: false,
    ...shortHair('#2a211d', '#463a33', true),
    clothes: suit('#26344b', '#1a2536', '#f6f5f2', '#7a2f3a'),
  },
  {
    skin: '#f0cbb0',
    shade: '#c8967a',
    lips: '#c26f68',
    brow: '#6b4a32',
    iris: '#5b6f5a',
    backdrop: ['#ece9e4', '#bfb9b0'],
    jaw: 61,
    lashes: true,
    ...longHair('#6d472e', '#94683f'),
    clothes: blazer('#ece3d3', '#c9bca5', '#fbfaf7'),
  },
  {
    skin: '#86573b',
    shade: '#573421',
    lips: '#7b4238',
    brow: '#17110e',
    iris: '#26170f',
    backdrop: ['#e6e2da', '#b3aa9b'],
    jaw: 70,
    lashes: false,
    ...shortHair('#191412', '#2c2420', false),
    clothes: suit('#6a6f76', '#4b4f55', '#f7f7f5', '#2f4a4a'),
  },
  {
    skin: '#c9966e',
    shade: '#935f40',
    lips: '#9f6052',
    brow: '#1d1714',
    iris: '#2f1f14',
    backdrop: ['#e9e1d3', '#b9a88e'],
    jaw: 69,
    lashes: false,
    ...ghutra('#f8f6f2', '#d6d2ca'),
    clothes: kandura('#fbfaf7', '#d9d5cd'),
  },
  {
    skin: '#eec3a0',
    shade: '#c08d68',
    lips: '#b9625e',
    brow: '#1f1918',
    iris: '#2a1c15',
    backdrop: ['#e0e8e4', '#a8b8b0'],
    jaw: 62,
    lashes: true,
    ...longHair('#1d1a1b', '#3a3435', 395),
    clothes: blazer('#1f5a4c', '#143d34', '#f3efe6'),
  },
];

const eye = (x: number, { iris, brow, shade, lashes }: Look): string => {
  const outer = x < 300 ? -1 : 1;
  return `<g transform="translate(${x} 262)">
    <ellipse cy="2" rx="27" ry="16" fill="${shade}" opacity=".35" filter="url(#soft6)"/>
    <path d="M-20 2C-12 -10 12 -10 20 2C12 9 -12 9 -20 2Z" fill="#fbf8f4"/>
    <circle cy="-.5" r="8.6" fill="${iris}"/><circle cy="-.5" r="4.2" fill="#0d0a09"/><circle cx="3" cy="-3.5" r="2.2" fill="#fff" opacity=".9"/>
    <path d="M-21 2C-12 -11.5 12 -11.5 21 2" fill="none" stroke="#2a1c17" stroke-width="${lashes ? 3.6 : 2.4}" stroke-linecap="round"/>
    ${lashes ? `<path d="M${outer * 18} -2L${outer * 26} -8" stroke="#2a1c17" stroke-width="2.6" stroke-linecap="round"/>` : ''}
    <path d="M-20 -12C-10 -18 10 -18 20 -11" fill="none" stroke="${shade}" stroke-width="1.6" opacity=".7"/>
    <path d="M${-outer * 24} ${lashes ? -25 : -23}C${-outer * 6} ${lashes ? -36 : -34} ${outer * 14} ${lashes ? -35 : -33} ${outer * 30} -22C${outer * 14} ${lashes ? -30 : -26} ${-outer * 6} ${lashes ? -30 : -25} ${-outer * 24} ${lashes ? -20 : -15}Z" fill="${brow}" opacity=".92"/>
  </g>`;
};

const head = (jaw: number): string =>
  `M218 235C212 130 388 130 382 235C386 290 ${300 + jaw + 8} 330 ${300 + jaw * 0.62} 362C318 384 282 384 ${300 - jaw * 0.62} 362C${300 - jaw - 8} 330 214 290 218 235Z`;

function face(look: Look): string {
  const { skin, shade, lips, jaw, ears } = look;
  return `<clipPath id="head"><path d="${head(jaw)}"/></clipPath>
    <path d="M256 330L254 430C270 470 330 470 346 430L344 330Z" fill="${skin}"/>
    <path d="M254 345C270 400 330 400 346 345L346 405C320 425 280 425 254 405Z" fill="${shade}" opacity=".75" filter="url(#soft8)"/>
    ${ears ? `<ellipse cx="216" cy="272" rx="13" ry="25" fill="${shade}"/><ellipse cx="384" cy="272" rx="13" ry="25" fill="${shade}"/>` : ''}
    <path d="${head(jaw)}" fill="${skin}"/>
    <g clip-path="url(#head)">
      <path d="M345 130C420 200 400 340 320 390L420 390L420 130Z" fill="${shade}" opacity=".6" filter="url(#soft20)"/>
      <ellipse cx="300" cy="385" rx="90" ry="24" fill="${shade}" opacity=".55" filter="url(#soft12)"/>
      <ellipse cx="265" cy="205" rx="52" ry="34" fill="#fff" opacity=".22" filter="url(#soft20)"/>
      <ellipse cx="250" cy="302" rx="24" ry="15" fill="#fff" opacity=".14" filter="url(#soft12)"/>
      <ellipse cx="246" cy="310" rx="24" ry="14" fill="${lips}" opacity=".22" filter="url(#soft12)"/><ellipse cx="354" cy="310" rx="24" ry="14" fill="${lips}" opacity=".22" filter="url(#soft12)"/>
    </g>
    ${eye(262, look)}${eye(338, look)}
    <path d="M305 255C310 285 322 300 318 309C312 317 300 318 294 315" fill="none" stroke="${shade}" stroke-width="5" opacity=".75" filter="url(#soft2)" stroke-linecap="round"/>
    <path d="M297 258C296 282 296 296 297 304" stroke="#fff" stroke-width="6" opacity=".25" filter="url(#soft2)" fill="none"/>
    <path d="M286 313C290 309 294 315 300 315.500C306 315 311 309 315 313" fill="none" stroke="${shade}" stroke-width="2.600" stroke-linecap="round"/>
    <path d="M270 336C284 333 294 331 300 334.500C306 331 316 333 330 336C316 343 284 343 270 336Z" fill="${lips}"/>
    <path d="M270 336C286 344 314 344 330 336C320 356 280 356 270 336Z" fill="${lips}"/><path d="M271 336.500C286 344 314 344 329 336.500" stroke="#5b2a26" stroke-width="1.600" fill="none" opacity=".8"/>
    <ellipse cx="297" cy="348" rx="12" ry="2.600" fill="#fff" opacity=".28" filter="url(#soft2)"/>`;
}

function bust(look: Look): string {
  const blur = [2, 6, 8, 12, 20]
    .map(
      n =>
        `<filter id="soft${n}" x="-60%" y="-60%" width="220%" height="220%"><feGaussianBlur stdDeviation="${n}"/></filter>`,
    )
    .join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="600" viewBox="30 62 540 540"><defs>${blur}
    <radialGradient id="studio" cx=".38" cy=".34" r=".85"><stop stop-color="${look.backdrop[0]}"/><stop offset="1" stop-color="${look.backdrop[1]}"/></radialGradient>
    <linearGradient id="rim" x2="1"><stop stop-color="#fff" stop-opacity=".12"/><stop offset=".45" stop-color="#fff" stop-opacity="0"/><stop offset="1" stop-color="#000" stop-opacity=".2"/></linearGradient></defs>
    <rect width="640" height="664" fill="url(#studio)"/>
    <ellipse cx="330" cy="430" rx="230" ry="240" fill="#000" opacity=".12" filter="url(#soft20)"/>
    ${look.behind}${face(look)}${look.clothes}${look.over}
    <rect width="640" height="664" fill="url(#rim)"/></svg>`;
}

/** Writes agent01.jpg to agent06.jpg, 600 × 600 pixels, into `folder`. */
export async function drawPortraits(folder: string): Promise<void> {
  for (const [index, look] of looks.entries()) {
    await sharp(Buffer.from(bust(look)))
      .jpeg({ quality: 88 })
      .toFile(`${folder}agent0${index + 1}.jpg`);
  }
}
