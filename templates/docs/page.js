// Scalar tries `new Function('')`; the Content-Security-Policy would report it as an error.
window.Function = new Proxy(Function, {
  construct() {
    throw new EvalError('The Content-Security-Policy permits no evaluation of text.');
  },
});

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
    authentication: { preferredSecurityScheme: 'oauth' },
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  });
});
