/** Slack's format: escaped as Slack demands, within its limits, with a link for each alert. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { type Alert, AlertNews } from '../../../../core/alerts/alert.ts';
import { alertSubject, alertView } from '../../../../core/alerts/alert-view.ts';
import { slackMessage } from '../../../../core/alerts/slack.ts';

const sample = AlertNews.parse(
  JSON.parse(await readFile(new URL('../../../../templates/mail/alerts/sample.json', import.meta.url), 'utf8')),
);
const page = 'https://portal.example/v2/ops';

const Message = z.strictObject({
  text: z.string(),
  blocks: z
    .array(
      z.strictObject({
        type: z.literal('section'),
        text: z.strictObject({
          type: z.literal('mrkdwn'),
          text: z.string().min(1).max(3_000),
          verbatim: z.literal(true),
        }),
      }),
    )
    .max(50),
});
const messageOf = (news: AlertNews) => {
  const { text, blocks } = Message.parse(JSON.parse(slackMessage(alertView(news, alertSubject(news), page))));
  return { text, blocks: blocks.map(block => block.text.text) };
};

it('has the subject as notification, one block for each alert with its remediation and link, and the operations page', () => {
  const { text, blocks } = messageOf(sample);
  expect(text).toBe('Critical: No worker is alive; 14 jobs waiting. (and 1 more)');
  const [first, held, , resolved, last] = blocks;
  expect(blocks).toHaveLength(5);
  expect(first).toContain(':red_circle: *Critical:* No worker is alive; 14 jobs waiting.\nStart a worker');
  expect(held).toContain(
    `(rule held-run, ${sample.opened[1]?.subject}) · <${page}/jobs/${sample.opened[1]?.subject}|Open the job>`,
  );
  expect(resolved).toMatch(
    /^:large_green_circle: \*Resolved:\* 9 pdf jobs of 31 failed .*\nFrom 2026-01-31 05:20 for .* \(rule failure-rate, pdf\)$/s,
  );
  expect(last).toBe(`<${page}|Open the operations page>`);
});

it('escapes &, < and >, so that data cannot mention channels or forge links', () => {
  const what = '<!channel> <https://evil.example|A & B> &lt;';
  const opened = sample.opened.map((alert): Alert => ({ ...alert, what, mend: what, subject: what }));
  const { text, blocks } = messageOf({ ...sample, opened, reminded: [], resolved: [] });
  const escaped = '&lt;!channel&gt; &lt;https://evil.example|A &amp; B&gt; &amp;lt;';
  expect(text).toContain(escaped);
  expect(blocks[0]).toContain(`*Critical:* ${escaped}\n${escaped}\n`);
  const sequences = blocks.join('\n').match(/<[^>]*>/g) ?? [];
  expect(sequences.every(sequence => sequence.startsWith(`<${page}`))).toBe(true);
});

it('stays within the limits of Slack, whatever the number and length of the alerts', () => {
  const [any] = sample.opened;
  if (!any) throw new Error('the sample has new alerts');
  const long = (): Alert => ({
    ...any,
    what: '<&>😀'.repeat(2_000),
    mend: '&'.repeat(5_000),
    subject: '>'.repeat(900),
  });
  const { blocks } = messageOf({ ...sample, opened: Array.from({ length: 70 }, long), reminded: [], resolved: [] });
  expect(blocks).toHaveLength(50);
  expect(blocks.at(-1)).toBe(`and 21 more · <${page}|Open the operations page>`);
  for (const block of blocks) expect(block.replaceAll(/&(amp|lt|gt);/g, '')).not.toContain('&');
});
