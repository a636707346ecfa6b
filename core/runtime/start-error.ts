/** A process or command cannot start now; `message` says why and what to do. A later start may succeed. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}
