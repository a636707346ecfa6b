/** Health check of a container with one process, by its `/health`; exit code 0: healthy. */
const answerTimeoutMs = 3_000;

const url = `http://127.0.0.1:${process.env.METRICS_PORT || process.env.PORT || 9000}/health`;
const answer = await fetch(url, { signal: AbortSignal.timeout(answerTimeoutMs) }).catch(() => undefined);
process.exit(answer?.ok ? 0 : 1);
