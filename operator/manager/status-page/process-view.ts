import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ReconcileMiddleware } from '../../controller/run/middleware.ts';
import { MinuteCounts } from './minute-counts.ts';
import type { ProcessStatus } from './process-status.ts';
import { ReconcileHistory } from './reconcile-history.ts';
import { type SnapshotOptions, snapshot } from './snapshot.ts';
import { StatusPage } from './status-page.ts';

/** What is asked of the process at each look; the rest is remembered here. */
type ProcessViewOptions = Omit<SnapshotOptions, 'startedAt' | 'history' | 'writes'>;

/** The process as people see it: remembers what cannot be asked for, and shows it with the rest. */
export class ProcessView {
  /** To be told of each write. */
  readonly writes: MinuteCounts;
  readonly #snapshot: () => ProcessStatus;
  readonly #history: ReconcileHistory;
  readonly #page: StatusPage | undefined;

  constructor(options: ProcessViewOptions) {
    const { clock, settings } = options;
    const startedAt = clock.monotonic();
    const history = new ReconcileHistory(clock);
    const writes = new MinuteCounts(clock);
    this.writes = writes;
    this.#history = history;
    this.#snapshot = () => snapshot({ ...options, startedAt, history, writes });
    this.#page = settings.statusPage
      ? new StatusPage({ clock, status: this.#snapshot })
      : undefined;
  }

  get status(): ProcessStatus {
    return this.#snapshot();
  }

  /** Remembers every attempt, with `inner` around it. */
  around(inner: ReconcileMiddleware | undefined): ReconcileMiddleware {
    return (attempt, next) => this.#history.around(attempt, () => inner?.(attempt, next) ?? next());
  }

  /** For the port on which people look: false for what is no part of the page. */
  readonly answer = (request: IncomingMessage, response: ServerResponse): boolean =>
    this.#page?.answer(request, response) ?? false;

  /** Ends what is open. */
  stop(): void {
    this.#page?.stop();
  }
}
