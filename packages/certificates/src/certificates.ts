import { type Clock, ConfigurationError } from 'chancery';
import {
  type CERTIFICATES,
  createLogger,
  type ExitCode,
  findVisibleToken,
  type GivenTo,
  type Io,
  newManager,
  overridden,
  settingsFrom,
  TOKEN_FOLDERS,
  toggleDebugOnSignal,
  tokenVisible,
} from 'chancery/internal';
import { systemClock } from 'chancery/low-level';
import { type CertificatesOptions, certificatesController } from './certificates-controller.ts';

export interface CertificatesCommandOptions {
  readonly clock?: Clock;
  /**
   * Folders where Kubernetes mounts a ServiceAccount token. The process must not find a token
   * there.
   */
  readonly tokenFolders?: readonly string[];
}

/** `chancery certificates`: maintains the certificate of a gate. */
export async function certificates(
  given: GivenTo<typeof CERTIFICATES>,
  io: Io,
  { clock = systemClock, tokenFolders = TOKEN_FOLDERS }: CertificatesCommandOptions = {},
): Promise<ExitCode> {
  const options = certificatesOptions(given, io.env);
  const settings = overridden(settingsFrom(io.env), { namespaces: [options.namespace] });
  if (!settings.insecureAllowToken) {
    const path = await findVisibleToken(tokenFolders);
    if (path !== undefined) throw tokenVisible(path);
  }
  const { logLevel, logFormat: format } = settings;
  const logger = createLogger(logLevel, io.stderr, { format, environment: io.env });
  const manager = await newManager({
    controllers: [certificatesController(options)],
    environment: io.env,
    ...{ settings, tokenFolders, logger, clock },
    onLeadershipLost: (withinMs, standsBy) => io.exitWithin(withinMs, 3, standsBy),
  });
  const cancelToggle = toggleDebugOnSignal(logger);
  try {
    await manager.run(io.signal);
  } finally {
    cancelToggle();
  }
  return 0;
}

/**
 * Parses the command line of `chancery certificates`.
 *
 * @throws ConfigurationError `CONFIG` when the command line is wrong.
 */
export function certificatesOptions(
  { values, words: [unexpected] }: GivenTo<typeof CERTIFICATES>,
  env: Io['env'],
): CertificatesOptions {
  if (unexpected !== undefined) {
    throw new ConfigurationError(`expected options only; got ${JSON.stringify(unexpected)}`);
  }
  const { secret, service, validating, mutating, definition: definitions } = values;
  const namespace = values.namespace ?? env.POD_NAMESPACE;
  if (secret === undefined || service === undefined || namespace === undefined) {
    const missing = secret === undefined ? '--secret' : '--service';
    const what =
      secret !== undefined && service !== undefined ? '--namespace or POD_NAMESPACE' : missing;
    throw new ConfigurationError(
      `expected ${what}: chancery generate manifests --certificates chancery writes a Deployment with all of them`,
    );
  }
  if (validating.length + mutating.length + definitions.length === 0) {
    throw new ConfigurationError(
      'expected at least one --validating, --mutating or --definition: no client would trust the certificate',
    );
  }
  return { service, namespace, targets: { secret, validating, mutating, definitions } };
}
