import { describe, expect, it } from 'vitest';
import type { StoryBlock } from '../../../../../../workers/pdf/layout/document-view.ts';
import {
  directionOfStory,
  extractDescribedFacts,
  readDescription,
} from '../../../../../../workers/pdf/layout/view/story.ts';
import { Listing } from '../../../../../../workers/pdf/listing.ts';

const agent = {
  name: 'Layla Haddad',
  email: 'layla@example-realty.ae',
  phone: '+971 50 123 4501',
  brn_number: '54821',
};

/** h: heading, p: paragraph, -: list item. */
function blocksOf(description_en: string, title_en = 'Bright home', by: object = agent): string[] {
  const { story } = readDescription(Listing.parse({ reference_number: 'R1', title_en, description_en, agent: by }));
  return story.flatMap((block: StoryBlock) => [
    ...(block.heading === null ? [] : [`h ${block.heading.text}`]),
    ...(block.paragraph === null ? [] : [`p ${block.paragraph.text}`]),
    ...(block.list?.items.map(item => `- ${item.text}`) ?? []),
  ]);
}

describe('a description', () => {
  it.each<[string, string, string[]]>([
    ['paragraphs at blank lines', 'One.\n\nTwo.', ['p One.', 'p Two.']],
    ['paragraphs at lines', 'One.\nTwo.', ['p One.', 'p Two.']],
    [
      'a sentence over two lines as one paragraph',
      'The kitchen is fitted with\nintegrated appliances.',
      ['p The kitchen is fitted with integrated appliances.'],
    ],
    ['a heading by its colon', 'Key features:\n- Pool\n- Gym', ['h Key features', '- Pool', '- Gym']],
    ['a heading by its capitals', 'THE LOCATION\nClose to the park.', ['h The location', 'p Close to the park.']],
    [
      'bullets of any kind',
      '• Pool\n* Gym\n– Park\n✅ Lift\n➤ Sauna\n-Garden',
      ['- Pool', '- Gym', '- Park', '- Lift', '- Sauna', '- Garden'],
    ],
    ['emoji bullets', '🏊 Pool\n🏋️ Gym', ['- Pool', '- Gym']],
    ['bullets in one line', 'Features • Pool • Gym • Park', ['p Features', '- Pool', '- Gym', '- Park']],
    [
      'a list without bullets',
      'Amenities:\n2 bedrooms\nShared pool\nGym',
      ['h Amenities', '- 2 bedrooms', '- Shared pool', '- Gym'],
    ],
    ['an emoji in a sentence unchanged', '🏡 A home by the sea.', ['p 🏡 A home by the sea.']],
    ['markup as line breaks', 'One.<br>Two &amp; three.', ['p One.', 'p Two & three.']],
    ['nothing for an empty text', '  \n\n ', []],
    ['a sentence that continues after a comma as one paragraph', 'Near shops,\nschools', ['p Near shops, schools']],
    ['a sentence that begins in lower case after a full stop', 'One.\nand two.', ['p One.', 'p and two.']],
    ['a sentence that begins with a capital', 'The kitchen\nThe hall', ['p The kitchen', 'p The hall']],
    ['one bullet within a line unchanged', 'Pool • Gym', ['p Pool • Gym']],
    ['bullets in one line that begins with one', '• Pool • Gym', ['- Pool', '- Gym']],
    ['bullets of emoji in one line', 'Near: 🔹 Park 🔸 Mall', ['h Near', '- Park', '- Mall']],
    [
      'a bullet before a number or a bracket',
      '• 2 pools\n- (new) gym\n+ sauna',
      ['- 2 pools', '- (new) gym', 'p + sauna'],
    ],
    ['a dash without a text unchanged', 'One.\n--\nTwo.', ['p One.', 'p --', 'p Two.']],
    ['a text between two lists', '- Pool\nAlso:\n- Gym', ['- Pool', 'h Also', '- Gym']],
    ['one emoji before a text unchanged', '🏊 Pool\nGym', ['p 🏊 Pool', 'p Gym']],
    ['a heading after an emoji', '🏡 FEATURES\n🏊 Pool\n🏋️ Gym', ['h Features', '- Pool', '- Gym']],
    ['one line after a heading as a text', 'Amenities:\nPool', ['h Amenities', 'p Pool']],
    ['sentences after a heading as texts', 'Amenities:\nA pool.\nA gym', ['h Amenities', 'p A pool.', 'p A gym']],
    ['lines that lost their bullets only after a colon', 'Amenities\nPool\nGym', ['p Amenities', 'p Pool', 'p Gym']],
    [
      'long lines after a heading as texts',
      `Amenities:\nPool\n${'Gym '.repeat(15)}and`,
      ['h Amenities', 'p Pool', `p ${'Gym '.repeat(15)}and`],
    ],
    [
      'lines of 60 characters after a heading as a list',
      `Amenities:\nPool\n${'Gym '.repeat(14)}pool`,
      ['h Amenities', '- Pool', `- ${'Gym '.repeat(14)}pool`],
    ],
    ['capitals of 60 characters as a heading', `${'ROOM '.repeat(11)}ROOMS`, [`h Room${' room'.repeat(10)} rooms`]],
    ['lines without a bullet among bullets as texts', 'Rooms:\n- Pool\nGym', ['h Rooms', '- Pool', 'p Gym']],
    ['lines without an emoji among emoji as texts', '🏊 Pool\n🏋️ Gym\nSauna', ['- Pool', '- Gym', 'p Sauna']],
    ['abbreviations in a list', 'Amenities:\nNo. 5 pool\nGym', ['h Amenities', '- No. 5 pool', '- Gym']],
    ['a colon within a line as a text', 'Note: bring a key', ['p Note: bring a key']],
    ['a full stop within capitals as a heading', 'NO. 5 MARINA', ['h No. 5 marina']],
    ['capitals within a heading unchanged', 'Near JBR and DIFC:', ['h Near JBR and DIFC']],
    ['longer capitals as a text', 'ROOM '.repeat(13).trim(), [`p ${'ROOM '.repeat(13).trim()}`]],
    ['capitals with a full stop as a text', 'A NEW VILLA.', ['p A NEW VILLA.']],
    ['an abbreviation as a heading unchanged', 'BBQ', ['h BBQ']],
    ['two capitals as a text', 'TV', ['p TV']],
    ['capitals among small letters as a text', 'Big BBQ area', ['p Big BBQ area']],
    ['a heading without the symbols around it', '★★ “Location” ★★:', ['h “Location”']],
    ['brackets of a heading', 'Terms (2026):', ['h Terms (2026)']],
    ['a heading with a wide colon', 'الموقع：', ['h الموقع']],
    ['a colon alone as a text', 'One.\n:', ['p One.', 'p :']],
  ])('shows %s', (_, text, expected) => {
    expect(blocksOf(text)).toEqual(expected);
  });

  it.each<[string, string[]]>([
    ['Bright home\n\nA text.', ['p A text.']],
    ['BRIGHT HOME!\nA text.', ['p A text.']],
    ['Bright home. A text.', ['p A text.']],
    ['Bright home', []],
    ['Bright homes are rare.', ['p Bright homes are rare.']],
    ['BRIGHT HOME – A text.', ['p A text.']],
    ['Bright home | A text.\nMore.', ['p A text.', 'p More.']],
    ['Bright home, with a garden.', ['p Bright home, with a garden.']],
    ['Bright home.', []],
    ['Bright home... A text.', ['p A text.']],
    ['Bright home with a pool - A text.', ['p Bright home with a pool - A text.']],
    ['A bright home. A text.', ['p A bright home. A text.']],
  ])('does not repeat the title: %j', (text, expected) => {
    expect(blocksOf(text)).toEqual(expected);
  });

  it('keeps the bullet of its first line when the listing has no title', () => {
    expect(blocksOf('- Pool\n- Gym', '&nbsp;')).toEqual(['- Pool', '- Gym']);
  });

  it.each<[string, string[]]>([
    ['A text.\nCall Layla on 050 123 4501', ['p A text.']],
    ['A text. WhatsApp +971-50-123-4501 today! More text.', ['p A text. More text.']],
    ['A text.\nE-mail: LAYLA@example-realty.ae', ['p A text.']],
    ['A text.\nLayla Haddad\nBRN: 54821', ['p A text.']],
    ['A text. Call 050 123 4501! 📞', ['p A text.']],
    ['Viewings by appointment. Contact the listing agent.', ['p Viewings by appointment. Contact the listing agent.']],
    ['Call our office on 04 399 9999.', ['p Call our office on 04 399 9999.']],
    ['A text.\nAgent: Layla Haddad', ['p A text.']],
    ['You will be met at the gate by: Layla Haddad', ['p You will be met at the gate by: Layla Haddad']],
    ['Layla Haddad knows the area.', ['p Layla Haddad knows the area.']],
    ['A text.\nBRN no 54821', ['p A text.']],
    ['BRN 548219, plot 54821.', ['p BRN 548219, plot 54821.']],
    ['هل تريد زيارة؟ اتصل 050 123 4501', ['p هل تريد زيارة؟']],
  ])('does not repeat the agent card: %j', (text, expected) => {
    expect(blocksOf(text)).toEqual(expected);
  });

  it.each<[string, object]>([
    ['without contact details', {}],
    ['with an incomplete phone number', { phone: '4501' }],
  ])('of an agent %s is unchanged', (_, by) => {
    const text = 'Call 050 123 4501, a@b.example, BRN 54821.';
    expect(blocksOf(text, 'Bright home', by)).toEqual([`p ${text}`]);
  });

  it('is shortened to 7,500 characters', () => {
    const length = blocksOf('A sentence of the story. '.repeat(2_000)).join('').length;
    expect(length).toBeGreaterThan(7_400);
    expect(length).toBeLessThan(7_503);
  });

  it('is read to 30,000 characters with its markup', () => {
    expect(blocksOf(`${'<br>'.repeat(7_499)}Text and more`)).toEqual(['p Text']);
    expect(blocksOf(`${'<br>'.repeat(7_500)}Text`)).toEqual([]);
  });

  it('has a direction for every paragraph', () => {
    const { story } = readDescription(
      Listing.parse({ reference_number: 'R', title_en: 'x', description_en: 'فيلا فاخرة.\n\nA villa.' }),
    );
    expect(story.map(block => block.paragraph?.dir)).toEqual(['rtl', 'ltr']);
  });
  it('has the direction of its first block, and left to right when it is empty', () => {
    const direction = (description_en: string) =>
      directionOfStory(readDescription(Listing.parse({ reference_number: 'R', title_en: 'x', description_en })).story);
    expect(['فيلا:\nA villa.', 'فيلا.', '- فيلا'].map(direction)).toEqual(['rtl', 'rtl', 'rtl']);
    expect(['A villa.\n\nفيلا.', ''].map(direction)).toEqual(['ltr', 'ltr']);
  });
});

describe('facts in a description', () => {
  const read = (text: string) => {
    const { described, rest } = extractDescribedFacts(text);
    return [Object.fromEntries(described), rest];
  };

  it.each<[string, string, object, string]>([
    ['at the start of a line', 'Handover: Q4 2028\nA text.', { handover: 'Q4 2028' }, 'A text.'],
    ['after a bullet', 'A text.\n • Developer：Cove;', { developer: 'Cove' }, 'A text.'],
    ['without the mark at their end', 'Deposit: 5%.', { deposit: '5%' }, ''],
    ['of their first line', 'Floor: 3\nFloor: 4', { floor: '3' }, 'Floor: 4'],
    ['of 48 characters', `Floor: ${'x'.repeat(48)}`, { floor: 'x'.repeat(48) }, ''],
    ['without empty lines in their place', 'One.\n\nFloor: 3\n\nTwo.', { floor: '3' }, 'One.\n\nTwo.'],
  ])('are taken from the text: %s', (_, text, described, rest) => {
    expect(read(text)).toEqual([described, rest]);
  });

  it.each([
    'No facts',
    'Handover in Q4',
    'Handover: ',
    `Floor: ${'x'.repeat(49)}`,
    'Handover: Q4 2028. Two pools! More.',
    'The handover: Q4 2028',
    'Mood: calm',
  ])('are not in %j', text => {
    expect(read(text)).toEqual([{}, text.trim()]);
  });

  it('leave no heading without a text', () => {
    expect(blocksOf('Terms:\nDeposit: 5%\n\nLocation:\nA text.\n\nMore:')).toEqual(['h Location', 'p A text.']);
    expect(blocksOf('Terms:\nDeposit: 5%\nBy cheque.')).toEqual(['h Terms', 'p By cheque.']);
    expect(blocksOf('A text.\n\nMore:')).toEqual(['p A text.', 'h More']);
  });
});
