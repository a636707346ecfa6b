// Scalar tries `new Function('')`; the Content-Security-Policy would report it as an error.
window.Function = new Proxy(Function, {
  construct() {
    throw new EvalError('The Content-Security-Policy permits no evaluation of text.');
  },
});

// Scalar's own colours of quiet text and methods have contrasts of 1.6 to 4.4; WCAG requires 4.5.
const customCss = `
  :root .light-mode {
    --scalar-color-2: #595959;
    --scalar-color-3: #666;
    --scalar-color-green: #00663f;
    --scalar-color-blue: #005c99;
    --scalar-color-red: #b80000;
    --scalar-color-orange: #a63900;
    --scalar-color-yellow: #735700;
  }
  :root .dark-mode {
    --scalar-color-3: #a0a0a0;
    --scalar-color-red: #ff7a75;
  }`;

addEventListener('DOMContentLoaded', () => {
  Scalar.createApiReference('#reference', {
    url: '../openapi.json',
    // Nothing is loaded from or sent to other sites.
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
    persistAuth: true,
    customCss,
    authentication: { preferredSecurityScheme: 'oauth' },
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  });
});
