/** The usual cron expressions in words; an unusual one stays as it is. */

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const isNumber = (field = ''): boolean => /^\d+$/.test(field);
const stepOf = (field: string): string | undefined => /^\*\/(\d+)$/.exec(field)?.[1];
const atTime = (hour: string, minute: string): string =>
  `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;

export function cronWords(expression: string): string {
  const fields = expression.split(' ');
  // The second is not worth a word, unless the schedule is about seconds.
  if (fields.length === 6 && !isNumber(fields[0])) return expression;
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields.slice(-5);
  if (month !== '*') return expression;
  const daily = timeOfDay(minute, hour);
  if (daily === undefined) return expression;
  if (day === '*' && weekday === '*') return isNumber(hour) ? `every day at ${daily}` : daily;
  if (!isNumber(hour)) return expression;
  if (day === '*' && isNumber(weekday)) return `every ${weekdays[Number(weekday)] ?? weekday} at ${daily}`;
  return isNumber(day) && weekday === '*' ? `on day ${day} of the month at ${daily}` : expression;
}

/** Of a day: its time, or how often within it. */
function timeOfDay(minute: string, hour: string): string | undefined {
  if (isNumber(minute) && isNumber(hour)) return atTime(hour, minute);
  if (hour === '*') {
    if (minute === '*') return 'every minute';
    if (minute === '0') return 'every hour';
    if (isNumber(minute)) return `every hour at minute ${minute}`;
    if (/^[\d,]+$/.test(minute)) return `every hour at minutes ${minute.split(',').join(' and ')}`;
    const step = stepOf(minute);
    return step && `every ${step} minutes`;
  }
  const hours = stepOf(hour);
  return hours && minute === '0' ? `every ${hours} hours` : undefined;
}
