// Clothes and hair of the portraits, as SVG over a 600 pixel bust whose face is centred at (300, 265).

interface Over {
  /** Hair and scarves hide the ears. */
  ears: boolean;
  behind: string;
  over: string;
}

const SHOULDERS = 'M40 620C52 505 132 458 226 426L250 418C262 468 338 468 350 418L374 426C468 458 548 505 560 620Z';

const fabric = (id: string, light: string, dark: string): string =>
  `<linearGradient id="${id}" x1=".15" x2=".95" y2=".7"><stop stop-color="${light}"/><stop offset="1" stop-color="${dark}"/></linearGradient>`;

const folds = (dark: string): string =>
  `<path d="M120 620C130 560 150 520 176 490M480 620C470 560 450 520 424 490" stroke="${dark}" stroke-width="9" opacity=".5" fill="none" filter="url(#soft6)"/>`;

export const suit = (light: string, dark: string, shirt: string, tie: string): string =>
  `${fabric('cloth', light, dark)}<path d="${SHOULDERS}" fill="url(#cloth)"/>${folds(dark)}
  <path d="M240 418L300 620L360 418C346 452 254 452 240 418Z" fill="${shirt}"/><path d="M240 414L252 404C262 440 290 456 300 462L270 492C252 470 242 440 240 414Z" fill="${shirt}" stroke="#cfccc6"/><path d="M360 414L348 404C338 440 310 456 300 462L330 492C348 470 358 440 360 414Z" fill="${shirt}" stroke="#cfccc6"/>
  <path d="M300 460L316 474L309 492L324 620L276 620L291 492L284 474Z" fill="${tie}"/><path d="M291 492L309 492L306 480L294 480Z" fill="#000" opacity=".22"/>
  <path d="M238 416C226 424 214 432 206 440L226 500L212 512L286 620L300 620Z" fill="${light}" stroke="${dark}" stroke-width="2"/><path d="M362 416C374 424 386 432 394 440L374 500L388 512L314 620L300 620Z" fill="${dark}" stroke="${dark}" stroke-width="2"/>`;

/** A collarless blazer over a top. */
export const blazer = (light: string, dark: string, top: string): string =>
  `${fabric('cloth', light, dark)}<path d="${SHOULDERS}" fill="url(#cloth)"/>${folds(dark)}
  <path d="M250 418C262 468 338 468 350 418L372 470L318 620L282 620L228 470Z" fill="${top}"/>
  <path d="M246 414C230 424 216 432 204 442L232 520L222 532L292 620L304 620C276 560 252 486 246 414Z" fill="${light}" stroke="${dark}" stroke-width="1.5"/><path d="M354 414C370 424 384 432 396 442L368 520L378 532L308 620L296 620C324 560 348 486 354 414Z" fill="${dark}" stroke="${dark}" stroke-width="1.5"/>`;

/** A white kandura with its band collar. */
export const kandura = (light: string, dark: string): string =>
  `${fabric('cloth', light, dark)}<path d="${SHOULDERS}" fill="url(#cloth)"/>${folds(dark)}
  <path d="M250 402C262 440 338 440 350 402L356 424C338 462 262 462 244 424Z" fill="${light}" stroke="${dark}" stroke-width="2"/><path d="M300 448L300 620" stroke="${dark}" stroke-width="3"/>${[490, 530, 570].map(y => `<circle cx="308" cy="${y}" r="3.500" fill="${dark}"/>`).join('')}`;

/** A head scarf over a dark jacket. */
export function hijab(light: string, dark: string, jacket: string): Over & { clothes: string } {
  return {
    ears: false,
    behind: `${fabric('scarf', light, dark)}<path d="M196 250C180 96 420 96 404 250C412 340 420 400 424 470L176 470C180 400 188 340 196 250Z" fill="url(#scarf)"/>`,
    clothes: `<path d="${SHOULDERS}" fill="${jacket}"/>${folds('#000')}<path d="M300 520L262 620L338 620Z" fill="#f5f2ec"/>`,
    over: `<path fill-rule="evenodd" d="M194 262C178 92 422 92 406 262C410 330 420 372 438 424C452 470 420 520 372 560C340 580 300 590 268 572C214 540 150 500 160 446C176 392 192 340 194 262ZM224 236C222 318 246 352 276 372C290 381 310 381 324 372C354 352 378 318 376 236C372 160 228 160 224 236Z" fill="url(#scarf)"/>
      <path d="M224 236C228 160 372 160 376 236" fill="none" stroke="${dark}" stroke-width="5" opacity=".55" filter="url(#soft2)"/>
      <path d="M228 300C240 372 290 400 330 398C372 392 398 360 402 300M206 330C214 412 280 450 350 436C400 424 420 400 424 380M176 430C220 500 320 520 420 470" fill="none" stroke="${dark}" stroke-width="7" opacity=".55" filter="url(#soft6)"/>
      <path d="M218 330C226 400 270 430 320 430M190 440C240 500 320 505 390 480" fill="none" stroke="#fff" stroke-width="6" opacity=".25" filter="url(#soft6)"/>`,
  };
}

/** A white ghutra held by a black agal. */
export function ghutra(light: string, dark: string): Over {
  return {
    ears: false,
    behind: `${fabric('scarf', light, dark)}<path d="M190 240C182 96 418 96 410 240C420 340 440 420 462 520L138 520C160 420 180 340 190 240Z" fill="url(#scarf)"/>`,
    over: `<path d="M218 226C214 150 250 118 300 118C350 118 386 150 382 226C390 250 396 300 420 360C440 420 456 470 470 540L402 520C398 440 392 330 384 262C376 208 366 190 300 190C234 190 224 208 216 262C208 330 202 440 198 520L130 540C144 470 160 420 180 360C204 300 210 250 218 226Z" fill="url(#scarf)"/>
      <path d="M206 300C196 380 180 450 168 520M394 300C404 380 420 450 432 520M236 186C270 172 330 172 364 186" stroke="${dark}" stroke-width="7" fill="none" filter="url(#soft6)"/>
      <path d="M214 196C220 148 380 148 386 196C370 172 230 172 214 196Z" fill="#17161a"/><path d="M213 182C222 132 378 132 387 182C368 158 232 158 213 182Z" fill="#232227"/>
      <path d="M252 340C258 366 276 378 300 380C324 378 342 366 348 340C342 358 332 358 326 352C316 360 284 360 274 352C268 358 258 358 252 340Z" fill="#1d1714" opacity=".8" filter="url(#soft2)"/><path d="M268 338C284 325 316 325 332 338C316 331 284 331 268 338Z" fill="#1d1714" opacity=".85" filter="url(#soft2)"/>`,
  };
}

/** Short hair, with a trimmed beard when `bearded`. */
export function shortHair(dark: string, light: string, bearded: boolean): Over {
  const beard = `<path d="M222 284C226 336 248 372 276 384C290 389 310 389 324 384C352 372 374 336 378 284C372 312 356 330 334 330C322 322 278 322 266 330C244 330 228 312 222 284Z" fill="${dark}" opacity=".8" filter="url(#soft2)"/><path d="M272 338C284 333 316 333 328 338C316 344 284 344 272 338Z" fill="#a8675a"/><path d="M274 339C288 353 312 353 326 339" fill="#b57264"/>`;
  return {
    ears: true,
    behind: `<path d="M208 250C196 110 404 110 392 250Z" fill="${dark}"/>`,
    over: `${bearded ? beard : ''}<path d="M214 262C200 190 214 128 262 116C300 100 372 104 388 164C398 200 390 236 386 262C382 232 374 206 362 190C330 196 276 194 242 180C226 200 220 232 214 262Z" fill="${dark}"/>
      <path d="M240 172C256 140 310 124 352 142M236 150C262 122 320 112 360 132" stroke="${light}" stroke-width="6" fill="none" opacity=".8" filter="url(#soft6)"/>`,
  };
}

/** Hair down to `length` (default: the shoulders), parted at the side. */
export function longHair(dark: string, light: string, length = 470): Over {
  return {
    ears: false,
    behind: `<path d="M192 250C176 90 424 90 408 250C414 330 430 ${length - 60} 418 ${length}C380 ${length + 20} 220 ${length + 20} 182 ${length}C170 ${length - 60} 186 330 192 250Z" fill="${dark}"/>`,
    over: `<path d="M270 150C226 166 216 220 216 300C214 360 214 ${length - 40} 222 ${length}C200 ${length + 6} 186 ${length} 180 ${length - 8}C170 ${length - 60} 184 330 192 250C184 130 262 98 312 112C388 108 420 170 408 250C416 330 430 ${length - 60} 420 ${length - 8}C412 ${length} 398 ${length + 6} 378 ${length}C386 ${length - 40} 388 360 384 300C384 226 352 176 270 150Z" fill="${dark}"/>
      <path d="M262 140C212 170 202 240 204 ${length - 60}M290 138C360 160 392 220 396 ${length - 70}M250 128C290 112 340 118 372 152" stroke="${light}" stroke-width="7" fill="none" opacity=".75" filter="url(#soft6)"/>`,
  };
}
