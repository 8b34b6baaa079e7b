/** `npm run prove -- credentials`: what kubectl takes a minute, or more, to notice of its credentials. */
import { basename } from 'node:path';
import process from 'node:process';
import { isWhole, optionsOrExit } from '../scripts/options.ts';
import { isolation } from './support/isolation.ts';
import { kubectls } from './support/kubectls.ts';
import { anotherCa, type Finding, frozen, revoked, rotated, taken } from './waiting.ts';

const USAGE = `usage: npm run prove -- credentials [--ca-seconds N]

An embedded API server with TLS and RBAC, the real kubectl proxy in front of it with a token folder
such as the kubelet makes, and an operator behind that: for the newest kubectl that is here and for
1.27. Tokens are rotated, revoked, taken away and emptied, the certificate authority is changed, and
the API server frozen. All at once, as most of it is waiting.

  --ca-seconds N   how long to see whether kubectl takes the new authority by itself; default 330
  --help           this text

One line of JSON for each on standard output: what was seen, and whether that is as it should be. Exits
0 when all is, and 1 when something is not.
`;

const values = optionsOrExit(
  USAGE,
  { 'ca-seconds': { type: 'string', default: '330' } },
  (asked) =>
    isWhole(asked['ca-seconds']) ? undefined : '--ca-seconds takes a whole number, 1 or more',
);
const caSeconds = Number(values['ca-seconds']);

/** Dockerfile.proxy's. */
const PINGS = { HTTP2_READ_IDLE_TIMEOUT_SECONDS: '10', HTTP2_PING_TIMEOUT_SECONDS: '5' };

const SCENES: Readonly<Record<string, (kubectl: string) => Promise<Finding>>> = {
  'token rotated': rotated,
  'token revoked': revoked,
  'token deleted': (kubectl) => taken(kubectl, undefined),
  'token emptied': (kubectl) => taken(kubectl, ''),
  'another CA': (kubectl) => anotherCa(kubectl, caSeconds),
  'API server frozen, pings as in the image': (kubectl) => frozen(kubectl, PINGS, 25),
  'API server frozen, pings by default': (kubectl) => frozen(kubectl, {}, 60),
};

process.setMaxListeners(50); // each proxy ends with this process
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

async function play(scene: string, kubectl: string): Promise<boolean> {
  const facts = { scene, kubectl: basename(kubectl), isolation };
  const finding = await SCENES[scene]?.(kubectl).catch((error: Error) => ({
    isGood: false,
    failure: error.message,
  }));
  process.stdout.write(`${JSON.stringify({ ...facts, ...finding })}\n`);
  return finding?.isGood === true;
}

const plays = kubectls().flatMap((kubectl) =>
  Object.keys(SCENES).map((scene) => play(scene, kubectl)),
);
const outcomes = await Promise.all(plays);
const good = outcomes.filter((isGood) => isGood).length;
process.stdout.write(`${good} of ${outcomes.length} are as they should be\n`);
process.exit(good === outcomes.length ? 0 : 1);
