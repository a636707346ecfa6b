/** Opens short links as browsers and others do. */
export const browsers = {
  iPhone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  windows:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
};

/** @param url the short link, wherever the service runs: follows no redirect */
export function openLink(
  url: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Response> {
  return fetch(url, { method, redirect: 'manual', headers: { 'user-agent': browsers.iPhone, ...headers } });
}

/** For `expect.poll`: how long a state is waited for that comes in some tenths of a second on an idle machine. */
export const patience = { timeout: 20_000 };
