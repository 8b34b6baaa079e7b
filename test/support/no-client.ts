import type { Client } from '../../operator/client/client.ts';
import { clientOf } from '../../operator/client/client-of.ts';

/** The client of a controller that is to make no calls. */
export const noClient: Client = clientOf(async ({ verb }) => {
  throw new Error(`a controller without a client has called ${verb}`);
});
