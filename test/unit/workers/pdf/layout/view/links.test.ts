import { describe, expect, it } from 'vitest';
import { labelsOf } from '../../../../../../workers/pdf/layout/labels.ts';
import {
  agentOf,
  initialsOf,
  linkOfEmail,
  linkOfPhone,
  listingUrlOf,
  mapOf,
  qrOf,
} from '../../../../../../workers/pdf/layout/view/links.ts';

const noAgent = { id: '', name: '', email: '', phone: '', photo: '', brn_number: '' };
/** The card of an agent in Dubai. */
const cardOf = (agent: Partial<typeof noAgent>, photo: string | null = null, labels = labelsOf('en')) =>
  agentOf({ agent: { ...noAgent, ...agent }, city: 'Dubai' }, photo, labels);

describe('a phone number', () => {
  it.each([
    ['+971501234501', 'tel:+971501234501', 'https://wa.me/971501234501'],
    ['050 123 4501', 'tel:+971501234501', 'https://wa.me/971501234501'],
    ['00971 50 123 4501', 'tel:+971501234501', 'https://wa.me/971501234501'],
    ['050-123-4501 / 04 399 9999', 'tel:+971501234501', 'https://wa.me/971501234501'],
    ['04 399 9999', 'tel:+97143999999', undefined],
    ['+44 20 7946 0958', 'tel:+442079460958', 'https://wa.me/442079460958'],
  ])('"%s" links to %s and to WhatsApp at %s', (text, call, whatsapp) => {
    expect(linkOfPhone(text)?.call.href).toBe(call);
    expect(linkOfPhone(text)?.whatsapp?.href).toBe(whatsapp);
  });

  it('prints the address of WhatsApp, which can be typed from paper', () => {
    expect(linkOfPhone('+971 50 123 4501')?.whatsapp?.text).toBe('wa.me/971501234501');
  });

  it.each(['', 'call me', '12', '<b>', '+9715'])('"%s" is not valid', text => {
    expect(linkOfPhone(text)).toBeNull();
  });
});

describe('an e-mail address', () => {
  it.each(['a.b+c@example-realty.ae', "o'neil@example.com"])('"%s" is a link', text => {
    expect(linkOfEmail(text)).toEqual({ text, href: `mailto:${text}` });
  });

  it.each(['', 'x', 'a@b', 'a@b c.com', 'a@b.com?bcc=c@d.com', 'javascript:alert(1)@x.com', '"><b>@x.com'])(
    '"%s" is not valid',
    text => {
      expect(linkOfEmail(text)).toBeNull();
    },
  );
});

describe('the agent', () => {
  it('has no card without name, phone and e-mail', () => {
    expect(cardOf({ id: '7', photo: 'https://example.com/a.jpg', brn_number: '1' })).toBeNull();
  });

  it('without a name is called "Listing agent"', () => {
    expect(cardOf({ phone: '0501234501' })?.name.text).toBe('Listing agent');
  });

  it.each([
    ['54821', 'BRN 54821'],
    ['BRN: 54821', 'BRN 54821'],
    ['', ''],
    ['0', ''],
  ])('with BRN "%s" shows "%s"', (brn_number, expected) => {
    expect(cardOf({ name: 'Layla Haddad', brn_number })?.licence).toBe(expected);
  });

  it.each(['54821', 'BLN 54821', 'BRN: 54821'])('in Abu Dhabi with "%s" shows the broker licence number', number => {
    const agent = { ...noAgent, name: 'Layla Haddad', brn_number: number };
    expect(agentOf({ agent, city: 'Abu Dhabi' }, null)?.licence).toBe('BLN 54821');
  });

  it.each([
    ['Layla Haddad', 'LH'],
    ['Dr. Maya Saleh', 'MS'],
    ['Eng Omar Farouk', 'OF'],
    ['Drew Miss-Martin', 'DM'],
    ['د. مريم صالح', 'م'],
    ['Yousef Al Mansoori', 'YM'],
    ['élodie', 'É'],
    ['ليلى حداد', 'ل'],
    ['', ''],
    ['😀', ''],
  ])('"%s" has the initials "%s"', (name, expected) => {
    expect(initialsOf(name)).toBe(expected);
  });
});

describe('geopoints', () => {
  it.each([
    ['25.063000,55.141000', '25.063,55.141'],
    ['25.063, 55.141', '25.063,55.141'],
    ['25.063;55.141', '25.063,55.141'],
    ['25.063 55.141', '25.063,55.141'],
    ['(25.063 | 55.141)', '25.063,55.141'],
    ['-33.9,18.4', '-33.9,18.4'],
  ])('"%s" open the map at %s', (text, query) => {
    expect(mapOf(text)?.url).toBe(`https://www.google.com/maps/search/?api=1&query=${query}`);
  });

  it.each(['', '25.063', '95,55', '25,190', '0,0', '25.06,55.14,3', 'Dubai', '25.06,55.14&x=1'])(
    '"%s" have no map',
    text => {
      expect(mapOf(text)).toBeNull();
    },
  );
});

describe('a QR code', () => {
  it('has a quiet zone of four modules and starts with the finder pattern', () => {
    const { viewBox, path } = qrOf('https://permits.example/71404938268');
    const [left, top, width, height] = viewBox.split(' ').map(Number);
    expect([left, top]).toEqual([-4, -4]);
    expect(width).toBe(height);
    expect(((width ?? 0) - 8 - 17) % 4).toBe(0);
    expect(path.startsWith('M0 0h7v1h-7z')).toBe(true);
  });
});

describe('the first of several phone numbers', () => {
  it.each(['/', ';', '|', ',', ' / ', ' ; '])('before "%s" is the link', separator => {
    expect(linkOfPhone(`0501234501${separator}0501234502`)).toEqual({
      call: { text: '+971 50 123 4501', href: 'tel:+971501234501' },
      whatsapp: { text: 'wa.me/971501234501', href: 'https://wa.me/971501234501' },
    });
  });
});

it('an e-mail link may be given with its scheme', () => {
  expect(linkOfEmail('mailto:a@b.ae')).toEqual({ text: 'a@b.ae', href: 'mailto:a@b.ae' });
  expect(linkOfEmail('x mailto:a@b.ae')).toBeNull();
  expect(linkOfEmail(`${'a'.repeat(64)}@b.ae`)).not.toBeNull();
  expect(linkOfEmail(`${'a'.repeat(65)}@b.ae`)).toBeNull();
});

describe('an agent card', () => {
  it('has everything that is known of the agent', () => {
    const agent = { name: ' Layla  Haddad ', email: 'l@h.ae', phone: '0501234501', brn_number: 'brn #7' };
    expect(cardOf(agent, 'https://brochure.invalid/a.jpg')).toEqual({
      name: { text: 'Layla Haddad', dir: 'ltr', lang: 'en' },
      licence: 'BRN 7',
      initials: 'LH',
      photo: 'https://brochure.invalid/a.jpg',
      photoRatio: 0,
      phone: { text: '+971 50 123 4501', href: 'tel:+971501234501' },
      whatsapp: { text: 'wa.me/971501234501', href: 'https://wa.me/971501234501' },
      email: { text: 'l@h.ae', href: 'mailto:l@h.ae' },
    });
  });

  it.each([{ name: 'A' }, { phone: '043999999' }, { email: 'a@b.ae' }])('is shown with %j only', fields => {
    const card = cardOf(fields);
    expect(card).toMatchObject({ whatsapp: null, licence: '', photo: null });
  });

  it('has a translated name when there is none', () => {
    expect(cardOf({ email: 'a@b.ae' }, null, labelsOf('ar'))?.name.text).toBe('وكيل العقار');
  });

  it.each(['Dr', 'mr.', 'Mrs', 'MS', 'Miss', 'Eng.', 'Prof', 'Sheikh', 'Sheikha', 'م.'])(
    'has no initial for "%s"',
    title => {
      expect(initialsOf(`${title} Layla Haddad`)).toBe('LH');
    },
  );

  it.each([
    ['Drake Mrsic', 'DM'],
    ['A', 'A'],
    ['Layla-Maria', 'LM'],
  ])('has for %s the initials %s', (name, expected) => {
    expect(initialsOf(name)).toBe(expected);
  });
});

describe('a map', () => {
  it.each(['90,180', '-90,-180', '0,55', '25,0', '[25.1, 55.2]', '{25.1/55.2}'])('opens for "%s"', text => {
    expect(mapOf(text)).not.toBeNull();
  });
  it.each(['90.1,55', '-90.1,55', '25,180.1', '25,-180.1', 'x25,55', '25,55x', '1234,5', '25.,55'])(
    'does not open for "%s"',
    text => {
      expect(mapOf(text)).toBeNull();
    },
  );
});

it('the page of a listing needs its reference and the URL of the brand', () => {
  const brand = { listingUrl: 'https://b.example/{reference}?r={reference}' };
  expect(listingUrlOf({ reference_number: ' A/1 ' }, brand)).toBe('https://b.example/A%2F1?r=A%2F1');
  expect(listingUrlOf({ reference_number: ' ' }, brand)).toBeNull();
  expect(listingUrlOf({ reference_number: 'A' }, {})).toBeNull();
});

it('a QR code has its modules as runs of each row', () => {
  const { viewBox, path } = qrOf('A');
  expect(viewBox).toBe('-4 -4 29 29');
  const cells = [...path.matchAll(/M(\d+) (\d+)h(\d+)v1h-(\d+)z/g)].map(([, ...numbers]) => numbers.map(Number));
  expect(cells.map(([x, y, run, back]) => `M${x} ${y}h${run}v1h-${back}z`).join('')).toBe(path);
  for (const [x = 0, y = 0, run = 0, back] of cells) {
    expect(run).toBe(back);
    expect(x + run).toBeLessThanOrEqual(21);
    expect(y).toBeLessThan(21);
  }
  // The upper left finder pattern.
  expect(cells.filter(([x = 0, y = 0]) => x < 7 && y < 7).map(([x, y, run]) => `${y}:${x}+${run}`)).toEqual([
    '0:0+7',
    '1:0+1',
    '1:6+1',
    '2:0+1',
    '2:2+3',
    '2:6+1',
    '3:0+1',
    '3:2+3',
    '3:6+1',
    '4:0+1',
    '4:2+3',
    '4:6+1',
    '5:0+1',
    '5:6+1',
    '6:0+7',
  ]);
});
