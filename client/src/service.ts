/** What the shortcuts of the client call. */
import type { Methods } from './method-types.ts';
import type { Server } from './methods.ts';

export interface Service extends Server {
  methods: Methods;
}
