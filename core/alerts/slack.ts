/** Alert messages for an incoming webhook of Slack (https://docs.slack.dev/reference/block-kit/blocks). */
import type { AlertView } from './alert-view.ts';

/** Slack rejects messages of more blocks, and blocks of more than 3,000 characters: two texts, and 1,000 around them. */
const max = { blocks: 50, text: 1_000 };

const icons: Readonly<Record<string, string>> = {
  Critical: ':red_circle:',
  Warning: ':large_orange_circle:',
  Resolved: ':large_green_circle:',
};

/** JSON for the webhook: one section for each alert, and a link to the operations page. */
export function slackMessage({ subject, sections, page }: AlertView): string {
  const alerts = sections.flatMap(section => section.alerts);
  const shown = alerts.slice(0, max.blocks - 1);
  const others = alerts.length - shown.length;
  const more = others > 0 ? `and ${others} more · ` : '';
  return JSON.stringify({
    // For notifications; Slack shows the blocks instead.
    text: escapeText(subject),
    blocks: [
      ...shown.map(alert => section(alertText(alert))),
      section(`${more}<${escapeText(page)}|Open the operations page>`),
    ],
  });
}

function alertText({ word, what, mend, when, rule, subject, link }: AlertView['sections'][number]['alerts'][number]) {
  const source = subject === undefined ? `rule ${rule}` : `rule ${rule}, ${subject}`;
  return [
    `${icons[word]} *${word}:* ${escapeText(what, max.text)}`,
    ...(mend === undefined ? [] : [escapeText(mend, max.text)]),
    `${escapeText(`${when} (${source})`)}${link ? ` · <${escapeText(link.url)}|${link.label}>` : ''}`,
  ].join('\n');
}

/** `verbatim`: Slack makes no links of words such as names of hosts. */
const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } });

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes the three characters of Slack's control sequences, such as `<!channel>`; cuts the text between characters. */
function escapeText(text: string, maxLength = 300): string {
  let escaped = '';
  for (const character of text) {
    const next = entities[character] ?? character;
    if (escaped.length + next.length > maxLength) return `${escaped}…`;
    escaped += next;
  }
  return escaped;
}
