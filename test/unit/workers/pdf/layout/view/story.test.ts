import { describe, expect, it } from 'vitest';
import type { StoryBlock } from '../../../../../../workers/pdf/layout/document-view.ts';
import { readDescription } from '../../../../../../workers/pdf/layout/view/story.ts';
import { Listing } from '../../../../../../workers/pdf/listing.ts';

const agent = {
  name: 'Layla Haddad',
  email: 'layla@example-realty.ae',
  phone: '+971 50 123 4501',
  brn_number: '54821',
};

/** h: heading, p: paragraph, -: list item. */
function blocksOf(description_en: string, title_en = 'Bright home'): string[] {
  const { story } = readDescription(Listing.parse({ reference_number: 'R1', title_en, description_en, agent }));
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
  ])('shows %s', (_, text, expected) => {
    expect(blocksOf(text)).toEqual(expected);
  });

  it.each<[string, string[]]>([
    ['Bright home\n\nA text.', ['p A text.']],
    ['BRIGHT HOME!\nA text.', ['p A text.']],
    ['Bright home. A text.', ['p A text.']],
    ['Bright home', []],
    ['Bright homes are rare.', ['p Bright homes are rare.']],
  ])('does not repeat the title: %j', (text, expected) => {
    expect(blocksOf(text)).toEqual(expected);
  });

  it.each<[string, string[]]>([
    ['A text.\nCall Layla on 050 123 4501', ['p A text.']],
    ['A text. WhatsApp +971-50-123-4501 today! More text.', ['p A text. More text.']],
    ['A text.\nE-mail: LAYLA@example-realty.ae', ['p A text.']],
    ['A text.\nLayla Haddad\nBRN: 54821', ['p A text.']],
    ['A text. Call 050 123 4501! 📞', ['p A text.']],
    ['Viewings by appointment. Contact the listing agent.', ['p Viewings by appointment. Contact the listing agent.']],
    ['Call our office on 04 399 9999.', ['p Call our office on 04 399 9999.']],
  ])('does not repeat the agent card: %j', (text, expected) => {
    expect(blocksOf(text)).toEqual(expected);
  });

  it('is shortened to 8,000 characters', () => {
    const length = blocksOf('A sentence of the story. '.repeat(2_000)).join('').length;
    expect(length).toBeGreaterThan(5_500);
    expect(length).toBeLessThan(8_000);
  });

  it('has a direction for every paragraph', () => {
    const { story } = readDescription(
      Listing.parse({ reference_number: 'R', title_en: 'x', description_en: 'فيلا فاخرة.\n\nA villa.' }),
    );
    expect(story.map(block => block.paragraph?.dir)).toEqual(['rtl', 'ltr']);
  });
});
