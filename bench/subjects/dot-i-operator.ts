/** `@dot-i/k8s-operator`: it watches without a list, so that a server sends everything anew. */
import { configuration, handled, imported, read, synced } from './child.ts';

const {
  default: { default: Operator },
} = await import('@dot-i/k8s-operator'); // CommonJS: its own default is inside
imported();
const { NAMESPACE } = await import('../../test/support/load/profile.ts');
const { profileNamed } = await import('../../test/support/load/profiles.ts');

const { group, version, plural } = profileNamed(configuration.profile);
let objects = 0;

class Bench extends Operator {
  protected async init(): Promise<void> {
    await this.watchResource(
      group,
      version,
      plural,
      async ({ object }) => {
        read(object);
        handled(object.metadata?.name ?? '');
        if (++objects === configuration.objects) synced(objects);
      },
      NAMESPACE,
    );
  }
}

await new Bench().start();
