import { ConfigurationError } from 'chancery';
import type { FlagValues } from './flags.ts';
import type { RecordedAmbassador } from './record.ts';

const DEFAULTS: RecordedAmbassador = { proxyPort: 8001, image: '' };

/**
 * The ambassador for the given flags. kubebuilder sends only flags that the user has set. For other
 * flags the recorded values or the defaults are used.
 *
 * @throws ConfigurationError `CONFIG` for a value that is not possible in a Pod.
 */
export function chosenAmbassador(
  flags: FlagValues,
  before: RecordedAmbassador = DEFAULTS,
): RecordedAmbassador {
  const port = flags.text('proxy-port');
  const image = flags.text('ambassador-image');
  if (flags.bool('unix-socket') === true) {
    throw new ConfigurationError(
      '--unix-socket is not possible for a manager in Go: client-go connects to no socket that a kubeconfig names, so ' +
        'the sources would have to change; leave it out, and the manager reaches the proxy through the loopback address',
    );
  }
  if (image !== undefined && /\s/.test(image)) {
    throw new ConfigurationError(
      `--ambassador-image must be the name of an image, not ${JSON.stringify(image)}`,
    );
  }
  return {
    proxyPort: port === undefined ? before.proxyPort : portOf(port),
    image: image ?? before.image,
  };
}

/** A port for the ambassador. A container without privileges cannot listen below 1024. */
function portOf(text: string): number {
  const port = Number(text);
  if (/^[0-9]{1,5}$/.test(text) && port >= 1_024 && port <= 65_535) return port;
  throw new ConfigurationError(
    `--proxy-port must be a whole number from 1024 to 65535, not ${JSON.stringify(text)}`,
  );
}
