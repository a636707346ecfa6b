/** What every redirect says besides its target. */
export const redirectHeaders = {
  // So that each click is counted.
  'cache-control': 'private, no-store',
  // The target learns no more than the host of the page that the link was on.
  'referrer-policy': 'strict-origin-when-cross-origin',
  'x-robots-tag': 'noindex',
};
