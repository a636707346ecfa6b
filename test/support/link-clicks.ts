/** Opens short links with the user agents of browsers. */
export const browsers = {
  iPhone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  windows:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
};

/** Does not follow the redirect. @param url the short link with the test service's origin */
export function openLink(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
  return fetch(url, { method, redirect: 'manual', headers: { 'user-agent': browsers.iPhone, ...headers } });
}
