import { describe, expect, it } from 'vitest';
import {
  agentOf,
  initialsOf,
  linkOfEmail,
  linkOfPhone,
  mapOf,
  permitOf,
  qrOf,
} from '../../../../../../workers/pdf/layout/view/links.ts';

const noAgent = { id: '', name: '', email: '', phone: '', photo: '', brn_number: '' };

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
    expect(agentOf({ ...noAgent, id: '7', photo: 'https://example.com/a.jpg', brn_number: '1' }, null)).toBeNull();
  });

  it('without a name is called "Listing agent"', () => {
    expect(agentOf({ ...noAgent, phone: '0501234501' }, null)?.name.text).toBe('Listing agent');
  });

  it.each([
    ['54821', 'BRN 54821'],
    ['BRN: 54821', 'BRN 54821'],
    ['', ''],
    ['0', ''],
  ])('with BRN "%s" shows "%s"', (brn_number, expected) => {
    expect(agentOf({ ...noAgent, name: 'Layla Haddad', brn_number }, null)?.licence).toBe(expected);
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

describe('the permit', () => {
  const template = 'https://permits.example/{permit}';

  it('links to its record with the number encoded', () => {
    expect(permitOf('20250000534239-1#202400236475', template)?.url).toBe(
      'https://permits.example/20250000534239-1%23202400236475',
    );
  });

  it.each(['Pending', '7', '<b>1</b>'])('"%s" is shown without a QR code', number => {
    expect(permitOf(number, template)).toMatchObject({ url: null, qr: null });
  });

  it('has no QR code when no permit URL is configured', () => {
    expect(permitOf('71404938268', undefined)).toEqual({ number: '71404938268', url: null, qr: null });
  });

  it.each(['', '0'])('"%s" is not shown', number => {
    expect(permitOf(number, template)).toBeNull();
  });
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
