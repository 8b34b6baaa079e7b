import { aborted, linkedAbort } from '../../core/abort.ts';
import { type Clock, systemClock } from '../../core/clock.ts';
import { messageOf, OperatorError, ProtocolError } from '../../core/errors.ts';
import { cannotListen } from '../apiserver/apiserver.ts';
import type { ExitCode, Io } from '../command.ts';
import type { GivenTo } from '../command-table.ts';
import { isPackageInstalled, loadPackage } from '../loading/load-package.ts';
import { recordArguments } from './arguments.ts';
import type { ReadProtobuf } from './passage.ts';
import { RECORD_LIMITS } from './recorded-exchange.ts';
import { Recorder } from './recorder.ts';
import { Recording } from './recording.ts';
import { RecordingFile } from './recording-file.ts';
import type { RECORD } from './table.ts';

/**
 * `chancery record`: records the exchanges between clients and a cluster, until the process is
 * asked to stop.
 */
export async function record(
  given: GivenTo<typeof RECORD>,
  io: Io,
  clock: Clock = systemClock,
): Promise<ExitCode> {
  const { server, port, ...place } = recordArguments(given);
  await requireKubernetes(server);
  const readProtobuf = await protobufReader();
  using stop = linkedAbort(io.signal);
  const file = await RecordingFile.create(place);
  const recording = new Recording(file, RECORD_LIMITS, {
    failed: (error) => stop.abort(error),
    full: () => void io.stderr.write('a limit is reached: what comes now may pass unrecorded\n'),
  });
  const recorder = new Recorder({
    ...{ server, clock, readProtobuf, limits: RECORD_LIMITS },
    onExchange: (exchange) => recording.add(exchange),
  });
  try {
    const url = await recorder.start(port).catch((error: unknown) => {
      throw cannotListen(port, '127.0.0.1', error);
    });
    io.stderr.write(`what passes through ${url} is recorded until Ctrl-C; try
  kubectl --server=${url} get namespaces
`);
    io.stdout.write(`${url}\n`);
    await aborted(stop.signal);
  } finally {
    await recorder.close();
    await recording.end();
  }
  io.stderr.write(recording.summary());
  return 0;
}

/**
 * The reader for protobuf, in which kubectl and client-go send some objects. It is in the test kit,
 * which may be missing.
 */
async function protobufReader(): Promise<ReadProtobuf> {
  if (!isPackageInstalled('@chancery/testing')) return () => undefined;
  const kit = await loadPackage('@chancery/testing/api-server', 'record');
  return (kit as { readonly protobufAsJson: ReadProtobuf }).protobufAsJson;
}

/**
 * Time limit of an answer. A server nearby answers in milliseconds, and a server behind a slow
 * tunnel in seconds.
 */
const ANSWER_LIMIT_MS = 10_000;

/**
 * Checks that the server is a Kubernetes API server.
 *
 * @throws OperatorError `AMBASSADOR_UNREACHABLE`, or ProtocolError `NOT_KUBERNETES`.
 */
async function requireKubernetes(server: URL): Promise<void> {
  const url = `${server.origin}${server.pathname.replace(/\/$/, '')}/version`;
  const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
  const answer = await fetch(url, { signal, redirect: 'manual' }).catch((error: unknown) => {
    const { cause } = error as { readonly cause?: unknown };
    throw new OperatorError(
      `nothing answers at --server ${server.origin}: ${messageOf(cause ?? error)}; start one with "kubectl proxy --port 8001"`,
      { code: 'AMBASSADOR_UNREACHABLE', layer: 'ambassador', cause: error },
    );
  });
  const body: unknown = await answer.json().catch(() => undefined);
  const { gitVersion, kind } = (body ?? {}) as { gitVersion?: unknown; kind?: unknown };
  if (typeof gitVersion === 'string' || kind === 'Status') return;
  throw new ProtocolError(
    `what answers at --server ${server.origin} is no Kubernetes API: GET /version has the status ${answer.status} and no version`,
    { code: 'NOT_KUBERNETES' },
  );
}
