import { describe, expect, it } from 'vitest';
import { labelsOf } from '../../../../../../workers/pdf/layout/labels.ts';
import { detailsOf, factsOf, sizeOf } from '../../../../../../workers/pdf/layout/view/facts.ts';
import { badgeOf } from '../../../../../../workers/pdf/layout/view/listing.ts';
import { priceOf } from '../../../../../../workers/pdf/layout/view/price.ts';
import { extractDescribedFacts, readDescription } from '../../../../../../workers/pdf/layout/view/story.ts';
import { kindOf } from '../../../../../../workers/pdf/layout/view/vocabulary.ts';
import { Listing } from '../../../../../../workers/pdf/listing.ts';

const listing = (fields: object) => Listing.parse({ reference_number: 'R1', title_en: 'Home', ...fields });

const shown = (fields: object) => {
  const one = listing(fields);
  const facts = factsOf(one);
  const rows = detailsOf(one, labelsOf('en'), facts).map(({ label, value }) => `${label}: ${value.text}`);
  return { facts: facts.map(({ label, value }) => `${label}: ${value.replaceAll('\u2009', ' ')}`), rows };
};

const facts = (fields: object) =>
  factsOf(listing(fields)).map(({ value, label }) => `${value.replaceAll('\u2009', ' ')} ${label}`);

describe('the facts row', () => {
  it.each<[object, string[]]>([
    [{}, []],
    [{ bedroom: '2', bathroom: '3' }, ['2 Bedrooms', '3 Bathrooms']],
    [{ bedroom: '1', bathroom: '1', parking: '1' }, ['1 Bedroom', '1 Bathroom', '1 Parking bay']],
    [{ bedroom: '0', property_type: 'Apartment' }, ['Studio Bedrooms']],
    [{ bedroom: '0' }, ['Studio Bedrooms']],
    [{ bedroom: 'Studio' }, ['Studio Bedrooms']],
    [{ bedroom: 'STUDIO' }, ['STUDIO Bedrooms']],
    [{ bedroom: '7+', bathroom: '3.5' }, ['7+ Bedrooms', '3.5 Bathrooms']],
    [{ bedroom: '2.50', parking: '1200' }, ['2.5 Bedrooms', '1,200 Parking bays']],
    [{ bathroom: '0', parking: '0', size: '0' }, []],
    [{ size: '1312.50' }, ['1,312 sq ft · 122 m² Size']],
    [{ size: 'Over 5,000' }, ['Over 5,000 Size']],
    [{ furnished: 'Yes' }, ['Furnished Furnishing']],
    [{ furnished: 'No' }, ['Unfurnished Furnishing']],
    [{ furnished: 'Furnished', furnishing_type: 'Semi-Furnished' }, ['Partly furnished Furnishing']],
  ])('of %j is %j', (fields, expected) => {
    expect(facts(fields)).toEqual(expected);
  });

  it.each(['Office', 'Land', 'Plot', 'Retail', 'Warehouse'])(
    'does not show a %s with 0 bedrooms as a studio',
    property_type => {
      expect(facts({ bedroom: '0', property_type })).toEqual([]);
    },
  );
});

it.each([
  ['studio', 'استوديو'],
  ['Studio flat', 'Studio flat'],
  ['Large studio', 'Large studio'],
])('the bedrooms %j are %j in Arabic', (bedroom, value) => {
  expect(factsOf(listing({ bedroom }), labelsOf('ar'))).toMatchObject([{ kind: 'bedrooms', value }]);
});

it('details without a facts row have each fact once', () => {
  const off_plan = { purpose: 'Sale', completion_status: 'off_plan', property_type: 'Apartment' };
  const rows = detailsOf(listing({ ...off_plan, description_en: 'Handover: Q4 2028\nA text.' }));
  expect(rows.filter(({ label }) => label === 'Handover')).toHaveLength(1);
});

describe('a size', () => {
  it.each([
    ['1312.50', '1,312', '122'],
    ['1,312', '1,312', '122'],
    ['1312.99', '1,312', '122'],
    ['5', '5', ''],
  ])('of %s square feet is rounded down', (text, feet, metres) => {
    expect(sizeOf(text)).toBe(
      metres === '' ? `${feet}\u2009sq\u2009ft` : `${feet}\u2009sq\u2009ft · ${metres}\u2009m²`,
    );
  });
});

describe('facts and details of a kind', () => {
  it('show handover and payment plan of an off-plan home', () => {
    const { facts, rows } = shown({
      property_type: 'Apartment',
      purpose: 'Sale',
      completion_status: 'off_plan',
      bedroom: '1',
      bathroom: '1',
      size: '742',
      parking: '1',
      description_en: 'Handover: Q4 2028\nPayment plan: 60/40\nDeveloper: Cove\n\nA terrace for six.',
    });
    expect(facts).toEqual([
      'Bedroom: 1',
      'Bathroom: 1',
      'Size: 742 sq ft · 69 m²',
      'Handover: Q4 2028',
      'Payment plan: 60/40',
    ]);
    expect(rows).toEqual([
      'Reference: R1',
      'Property type: Apartment',
      'Completion: Off-plan',
      'Parking bay: 1',
      'Developer: Cove',
    ]);
  });

  it('show fit-out and parking, not bedrooms, of an office', () => {
    const { facts } = shown({
      property_type: 'Office',
      purpose: 'Rent',
      bedroom: '0',
      bathroom: '2',
      size: '3850',
      parking: '6',
      property_condition: 'Fitted',
    });
    expect(facts).toEqual(['Size: 3,850 sq ft · 358 m²', 'Fit-out: Fitted', 'Parking bays: 6', 'Washrooms: 2']);
  });

  it('show size, zoning and permitted height, not rooms, of a plot', () => {
    const { facts, rows } = shown({
      property_type: 'Land',
      purpose: 'Sale',
      completion_status: 'Ready',
      bedroom: '0',
      bathroom: '0',
      parking: '0',
      furnished: 'No',
      size: '14020',
      description_en: 'Zoning: Residential\nPermitted height: B+G+2',
    });
    expect(facts).toEqual(['Plot size: 14,020 sq ft · 1,303 m²', 'Zoning: Residential', 'Permitted height: B+G+2']);
    expect(rows).toEqual(['Reference: R1', 'Property type: Land']);
  });

  it('show guests, minimum stay and the price per night of a holiday home', () => {
    const fields = {
      property_type: 'Apartment',
      purpose: 'Rent',
      rental_period: 'Daily',
      price: '2400',
      size: '1890',
      bedroom: '3',
      description_en: 'Guests: 6\nMinimum stay: 3 nights\nCheck-in: from 15:00',
    };
    const { facts, rows } = shown(fields);
    expect(facts).toEqual(['Guests: 6', 'Bedrooms: 3', 'Size: 1,890 sq ft · 176 m²', 'Minimum stay: 3 nights']);
    expect(rows).toContain('Check-in: from 15:00');
    const one = listing(fields);
    expect(priceOf(one, labelsOf('en'), kindOf(one))).toMatchObject({ terms: '/ night', perSquareFoot: '' });
    expect(badgeOf(one, labelsOf('en'), kindOf(one))?.label).toBe('Holiday home');
  });
});

describe('described facts', () => {
  it('are removed from the text, except a second line for the same fact', () => {
    const { described, rest } = extractDescribedFacts('A plot.\n• Zoning: Residential\nZoning: mixed\n\nCall us.');
    expect([...described]).toEqual([['zoning', 'Residential']]);
    expect(rest).toBe('A plot.\nZoning: mixed\n\nCall us.');
  });

  it.each([
    'The handover: a day we look forward to, when all the neighbours come.',
    'Viewing: Saturday',
    'Floor: marble. Walls: lime.',
    'https://example.com/floor',
    'Note: floor: 3',
  ])('are not found in "%s"', text => {
    expect(extractDescribedFacts(text)).toEqual({ described: new Map(), rest: text });
  });

  it('are removed with a heading that has no other text', () => {
    const text = 'A flat.\n\nTerms:\n- Deposit: 5%\n- Available: now';
    expect(readDescription(listing({ description_en: text })).story.map(block => block.paragraph?.text)).toEqual([
      'A flat.',
    ]);
  });
});

describe('in Arabic and in both languages', () => {
  const one = listing({
    bedroom: 'Studio',
    bathroom: '1',
    parking: '2',
    size: '1312',
    furnished: 'Yes',
    completion_status: 'Ready',
    current_status: 'Vacant',
    property_managed_by_us: 'Yes',
    property_type: 'Apartment',
    property_condition: 'Good',
    views: 'Park',
  });
  const pairs = (language: 'ar' | 'both') =>
    factsOf(one, labelsOf(language)).map(({ label, value }) => `${label}: ${value.replaceAll('\u2009', ' ')}`);

  it('facts have translated labels, values and units', () => {
    expect(pairs('ar')).toEqual([
      'غرف نوم: استوديو',
      'حمّام: 1',
      'المساحة: 1,312 قدم² · 122 م²',
      'مواقف سيارات: 2',
      'التأثيث: مفروش',
    ]);
    expect(pairs('both')[0]).toBe('Bedrooms\nغرف نوم: Studio');
  });

  it('details are translated where the vocabulary has them', () => {
    const rows = detailsOf(one, labelsOf('ar'), factsOf(one)).map(({ label, value }) => `${label}: ${value.text}`);
    expect(rows).toEqual([
      'الرقم المرجعي: R1',
      'نوع العقار: شقة',
      'حالة الإنجاز: جاهز',
      'الحالة: جيدة',
      'الإطلالة: Park',
      'الإشغال: شاغر',
      'الإدارة: بإدارتنا',
    ]);
  });
});

describe('the details', () => {
  it('have the rows in their order, with the field of each', () => {
    const one = listing({
      property_type: 'villa',
      completion_status: 'completed',
      furnishing_type: 'semi',
      property_condition: 'Renovated',
      views: 'sea_view',
      current_status: 'vacant',
      property_managed_by_us: 'yes',
    });
    expect(detailsOf(one).map(({ field, label, value }) => [field, `${label}: ${value.text}`])).toEqual([
      ['reference_number', 'Reference: R1'],
      ['property_type', 'Property type: Villa'],
      ['completion_status', 'Completion: Ready'],
      ['furnishing_type', 'Furnishing: Partly furnished'],
      ['property_condition', 'Condition: Renovated'],
      ['views', 'View: Sea view'],
      ['current_status', 'Status: Vacant'],
      ['property_managed_by_us', 'Management: Managed by us'],
    ]);
    expect(detailsOf(listing({ property_managed_by_us: 'no' })).map(({ label }) => label)).toEqual(['Reference']);
  });

  it('have the facts for which the row has no space', () => {
    const { facts, rows } = shown({
      property_type: 'Apartment',
      completion_status: 'off_plan',
      bedroom: '1',
      bathroom: '1',
      size: '700',
      parking: '2',
      furnished: 'Yes',
      description_en: 'Handover: 2028\nPayment plan: 60/40',
    });
    expect(facts).toHaveLength(5);
    expect(rows).toEqual([
      'Reference: R1',
      'Property type: Apartment',
      'Completion: Off-plan',
      'Furnishing: Furnished',
      'Parking bays: 2',
    ]);
  });

  it('have the condition of an office as its fit-out only once', () => {
    const office = { property_type: 'Office', purpose: 'Rent', property_condition: 'shell_and_core' };
    expect(shown(office)).toEqual({
      facts: ['Fit-out: Shell and core'],
      rows: ['Reference: R1', 'Property type: Office'],
    });
    expect(shown({ ...office, description_en: 'Fit-out: Cat A' })).toEqual({
      facts: ['Fit-out: Cat A'],
      rows: ['Reference: R1', 'Property type: Office', 'Condition: Shell and core'],
    });
  });

  it('have each described fact, in one order', () => {
    const names = {
      handover: 'Handover',
      'payment plan': 'Payment plan',
      developer: 'Developer',
      'built-up area': 'Built-up area',
      gfa: 'Gross floor area',
      ownership: 'Ownership',
      'fit-out': 'Fit-out',
      floor: 'Floor',
      pantry: 'Pantry',
      washrooms: 'Washrooms',
      guests: 'Guests',
      'min stay': 'Minimum stay',
      'check-in': 'Check-in',
      'check-out': 'Check-out',
      available: 'Available',
      deposit: 'Deposit',
      'service charge': 'Service charge',
    };
    const description_en = Object.keys(names)
      .reverse()
      .map(name => `${name}: x ${name}`)
      .join('\n');
    expect(shown({ property_type: 'Villa', description_en }).rows.slice(2)).toEqual(
      Object.entries(names).map(([name, label]) => `${label}: x ${name}`),
    );
  });
});

describe('an office', () => {
  it('has washrooms, one or more', () => {
    expect(facts({ property_type: 'Office', bathroom: '1' })).toEqual(['1 Washroom']);
    expect(facts({ property_type: 'Villa', bathroom: '1' })).toEqual(['1 Bathroom']);
  });
});

it('every fact has its icon, kind and field', () => {
  const icons = (fields: object) => factsOf(listing(fields)).map(({ kind, icon, field }) => `${kind} ${icon} ${field}`);
  expect(icons({ bedroom: '1', bathroom: '1', size: '9', parking: '1', furnished: 'Yes' })).toEqual([
    'bedrooms bed-double bedroom',
    'bathrooms bath bathroom',
    'size ruler-dimension-line size',
    'parking car parking',
    'furnishing sofa furnishing_type',
  ]);
  const described = (property_type: string, description_en: string, more = {}) =>
    icons({ property_type, description_en, ...more });
  expect(described('Land', 'Zoning: a\nHeight: b\nTenure: c')).toEqual([
    'zoning map description_en',
    'permitted-height building-2 description_en',
    'ownership scroll-text description_en',
  ]);
  expect(described('Holiday villa', 'Sleeps: 4\nMin. stay: 3')).toEqual([
    'guests users description_en',
    'minimum-stay moon description_en',
  ]);
  expect(described('Villa', 'Delivery: a\nPayment plan: b', { completion_status: 'off_plan' })).toEqual([
    'handover key-round description_en',
    'payment-plan hand-coins description_en',
  ]);
  expect(described('Office', 'Fitting: a')).toEqual(['fit-out layout-panel-left description_en']);
});

describe('a described fact', () => {
  const wordsOf = (text: string) => [...extractDescribedFacts(text).described];

  it.each<[string, string]>([
    [
      'handover',
      'Handover|Delivery|Completion|Expected handover|Anticipated completion|Handover date|التسليم|موعد التسليم',
    ],
    ['paymentPlan', 'Payment plan|خطة الدفع|خطة السداد'],
    ['developer', 'Developer|المطور|المطوّر'],
    ['serviceCharge', 'Service charge|Service charges|رسوم الخدمة|رسوم الخدمات'],
    ['plotSize', 'Plot|Plot size|Plot area|مساحة الأرض'],
    ['builtUpArea', 'Built-up|Built up area|Builtup area|BUA|المساحة المبنية'],
    ['floorArea', 'GFA|Gross floor area'],
    ['zoning', 'Zoning|Land use|Permitted use|الاستخدام'],
    ['permittedHeight', 'Height|Permitted height|Permissible height|Max height|Maximum height|الارتفاع المسموح'],
    ['ownership', 'Ownership|Tenure|Title|الملكية'],
    ['fitOut', 'Fit-out|Fit out|Fitout|Fitting|التجهيز'],
    ['floor', 'Floor|الطابق'],
    ['pantry', 'Pantry'],
    ['washrooms', 'Washroom|Washrooms'],
    ['guests', 'Guests|Sleeps|Max guests|Maximum guests|الضيوف|عدد الضيوف'],
    ['minimumStay', 'Min stay|Minimum stay|Min. stay|أدنى مدة إقامة'],
    ['checkIn', 'Check-in|Check in|Checkin|تسجيل الدخول'],
    ['checkOut', 'Check-out|Check out|Checkout|تسجيل المغادرة'],
    ['available', 'Available|Available from|Availability|متاح من'],
    ['deposit', 'Deposit|Security deposit|التأمين'],
  ])('%s is named %s', (word, names) => {
    for (const name of names.split('|')) {
      expect(wordsOf(`${name}: 5`), name).toEqual([[word, '5']]);
      expect(wordsOf(`Our ${name}: 5`), `Our ${name}`).toEqual([]);
      expect(wordsOf(`${name} now: 5`), `${name} now`).toEqual([]);
    }
  });

  it.each<[string, string | undefined]>([
    ['- Deposit: 5%', '5%'],
    ['✅ Deposit： 5%.', '5%'],
    ['Deposit :5%;', '5%'],
    ['Deposit: 5,', '5'],
    [`Deposit: ${'x'.repeat(48)}`, 'x'.repeat(48)],
    [`Deposit: ${'x'.repeat(49)}`, undefined],
    ['Deposit: 5%. Or more', undefined],
    ['Deposit: 5%! Or more', undefined],
    ['Deposit: 5.5%', '5.5%'],
    ['Deposit:', undefined],
    ['1 Deposit: 5', undefined],
  ])('of the line "%s" is %s', (line, value) => {
    expect(wordsOf(line).map(([, found]) => found)).toEqual(value === undefined ? [] : [value]);
  });
});

describe('the fields of a project', () => {
  const payment_plan = [
    { milestone: 'On booking', share: '20%', date: '' },
    { milestone: 'During construction', share: '40 %', date: 'until Q2 2028' },
    { milestone: 'On handover', share: '40', date: 'Q4 2028' },
  ];
  const project = {
    property_type: 'Apartment',
    purpose: 'Sale',
    completion_status: 'off_plan',
    developer: 'Cove',
    handover: 'Q4 2028',
    service_charge: 'AED 18 per sq ft',
    payment_plan,
  };

  it('are facts and details, with the payment plan as a table', () => {
    expect(shown(project)).toEqual({
      facts: ['Handover: Q4 2028', 'Payment plan: 20 / 40 / 40'],
      rows: [
        'Reference: R1',
        'Property type: Apartment',
        'Completion: Off-plan',
        'Developer: Cove',
        'Service charge: AED 18 per sq ft',
        'Payment plan: ',
        'On booking: 20%',
        'During construction: 40 % · until Q2 2028',
        'On handover: 40 · Q4 2028',
      ],
    });
  });

  it('have precedence over the description', () => {
    const description_en = 'Handover: 2030\nDeveloper: Other\nDeposit: 5%';
    expect(shown({ ...project, payment_plan: null, description_en })).toMatchObject({
      facts: ['Handover: Q4 2028'],
      rows: expect.arrayContaining(['Developer: Cove', 'Deposit: 5%']),
    });
  });

  it('have no short payment plan when a share is missing or a text', () => {
    for (const share of ['', 'the rest']) {
      const plan = [...payment_plan, { milestone: 'Later', share, date: '2030' }];
      expect(shown({ ...project, payment_plan: plan }).facts).toEqual(['Handover: Q4 2028']);
    }
    expect(shown({ ...project, payment_plan: [{ milestone: 'Later', share: '', date: '' }] }).rows).not.toContain(
      'Payment plan: ',
    );
  });

  it.each([
    ['in the space that short terms leave', '', 'On 40% construction progress: 20%'],
    ['cut beside long terms', 'Q4 2028', 'On 40% construction p…: 20% · Q4 2028'],
  ])('have a long milestone %s', (_, date, row) => {
    const plan = [{ milestone: 'On 40% construction progress', share: '20%', date }];
    expect(shown({ payment_plan: plan }).rows).toContain(row);
  });

  it('have no instalment without a milestone or without terms', () => {
    const plan = [
      { milestone: '', share: '20%', date: '2027' },
      { milestone: 'On booking', share: '', date: '' },
      { milestone: 'On handover', share: '', date: '2028' },
    ];
    expect(shown({ payment_plan: plan }).rows).toEqual(['Reference: R1', 'Payment plan: ', 'On handover: 2028']);
  });

  it('have the addresses of tour and video that can be typed', () => {
    const rows = shown({ tour_url: 'https://tour.example/1', video_url: `https://v.example/${'x'.repeat(60)}` }).rows;
    expect(rows).toEqual(['Reference: R1', 'Virtual tour: tour.example/1']);
  });
});
