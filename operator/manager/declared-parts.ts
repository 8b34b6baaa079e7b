import { type Controller, isController } from '../controller/controller.ts';
import { ConfigurationError } from '../core/errors.ts';
import { declaringRunnables, type Runnable } from './runnable.ts';
import type { KnownAccess } from './safety/explain-refusals.ts';
import { placementOf } from './settings/connect-options.ts';
import type { Settings } from './settings/settings.ts';

type DeclaredPart = Controller | Runnable;

/** The controllers and runnables of a process. Each waits until it may run: for the start, or for leadership. */
export class DeclaredParts {
  readonly #all = new Set<DeclaredPart>();
  readonly #waiting = new Set<DeclaredPart>();
  /** The place of each controller, counted from 1 in the order in which they were added, by its name. */
  readonly #controllerPlaces = new Map<string, number>();

  /** @throws ConfigurationError `CONFIG` when a controller has the name of another one. */
  add(declared: DeclaredPart): void {
    if (isController(declared)) this.#addController(declared);
    this.#all.add(declared);
    this.#waiting.add(declared);
  }

  get controllerNames(): readonly string[] {
    return [...this.#controllerPlaces.keys()];
  }

  /** Those that wait. A part may begin while they are read. */
  get waiting(): Iterable<DeclaredPart> {
    return this.#waiting;
  }

  /** The part waits no longer. */
  begins(declared: DeclaredPart): void {
    this.#waiting.delete(declared);
  }

  /** The parts wait again that may not run any more. */
  waitUnless(mayRun: (declared: DeclaredPart) => boolean): void {
    for (const declared of this.#all) if (!mayRun(declared)) this.#waiting.add(declared);
  }

  /** What they declare of the API server, and where the process works. */
  access(settings: Settings): KnownAccess {
    const declared = [...this.#all];
    const controllers = declared.filter(isController);
    const others = declared.filter((each): each is Runnable => !isController(each));
    return {
      declarations: [...controllers, ...declaringRunnables(others)],
      placement: placementOf(settings, declared),
    };
  }

  #addController({ name }: Controller): void {
    const place = this.#controllerPlaces.size + 1;
    const first = this.#controllerPlaces.get(name);
    if (first !== undefined) {
      throw new ConfigurationError(
        `two controllers have the same name: numbers ${first} and ${place} of the manager; rename one`,
        { context: { controller: name } },
      );
    }
    this.#controllerPlaces.set(name, place);
  }
}
