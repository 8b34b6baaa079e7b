/**
 * The flags and variables that the entry point of our own ambassador image, Dockerfile.proxy, passes to
 * `kubectl proxy` in addition to the filter. A Deployment with another image sets them itself. Such an image
 * must only contain `kubectl`.
 */

/** All flags except the three flags of the filter. For each flag, this is the only correct value. */
export const AMBASSADOR_FLAGS: readonly string[] = [
  '--address=127.0.0.1',
  '--port=8001',
  '--unix-socket=',
  '--api-prefix=/',
  '--append-server-path=false',
  '--www=',
  '--disable-filter=false',
  '--accept-hosts=^127[.]0[.]0[.]1$,^localhost$',
  '--v=0',
];

/** All environment variables. */
export const AMBASSADOR_ENVIRONMENT: Readonly<Record<string, string>> = {
  HOME: '/nonexistent',
  KUBERC: 'off',
  NO_PROXY: '*',
  HTTP2_READ_IDLE_TIMEOUT_SECONDS: '10',
  HTTP2_PING_TIMEOUT_SECONDS: '5',
};

/** The last part of the name of our own image, which is the same in every registry. */
export const OWN_AMBASSADOR_IMAGE: string = 'chancery-proxy';

/** True if an image is our own: its name ends with `chancery-proxy`. */
export function isOwnAmbassador(image: string): boolean {
  return /(?:^|\/)chancery-proxy(?:[:@]|$)/.test(image);
}
