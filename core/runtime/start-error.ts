/** A process cannot start now; `message` says why and what to do. It may be started again, unlike after a ConfigurationError. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}
