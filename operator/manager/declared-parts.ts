import { type Controller, isController } from '../controller/controller.ts';
import { ConfigurationError } from '../core/errors.ts';
import { declaringRunnables, type Runnable } from './runnable.ts';
import type { KnownAccess } from './safety/explain-refusals.ts';
import { placementOf } from './settings/connect-options.ts';
import type { Settings } from './settings/settings.ts';

type DeclaredPart = Controller | Runnable;

/**
 * The controllers and runnables of a process. Each of them waits until it may run. It may run as soon as the
 * process starts, or, if it needs leadership, as soon as this process leads.
 */
export class DeclaredParts {
  readonly #all = new Set<DeclaredPart>();
  readonly #waiting = new Set<DeclaredPart>();
  /**
   * Maps the name of each controller to its position, counted from 1 in the order in which controllers were
   * added.
   */
  readonly #controllerPlaces = new Map<string, number>();

  /** @throws ConfigurationError `CONFIG` when another controller has the same name. */
  add(declared: DeclaredPart): void {
    if (isController(declared)) this.#addController(declared);
    this.#all.add(declared);
    this.#waiting.add(declared);
  }

  get controllerNames(): readonly string[] {
    return [...this.#controllerPlaces.keys()];
  }

  /** The controllers and runnables that wait. The caller may begin to run them while it iterates. */
  get waiting(): Iterable<DeclaredPart> {
    return this.#waiting;
  }

  /** Marks a controller or runnable as no longer waiting. */
  begins(declared: DeclaredPart): void {
    this.#waiting.delete(declared);
  }

  /** Controllers and runnables that may no longer run go back to waiting. */
  waitUnless(mayRun: (declared: DeclaredPart) => boolean): void {
    for (const declared of this.#all) if (!mayRun(declared)) this.#waiting.add(declared);
  }

  /**
   * The access to the API server that the controllers and runnables declare, and the namespaces where the
   * process works.
   */
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
