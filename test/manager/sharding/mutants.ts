/** The table of the machine with one thing changed. */
import {
  type Phase,
  TRANSITIONS,
  type Transitions,
  type Trigger,
} from '../../../operator/manager/sharding/group-machine.ts';

export interface Mutant {
  readonly title: string;
  readonly transitions: Transitions;
}

const PHASES = Object.keys(TRANSITIONS) as readonly Phase[];

/** Each transition left out, leading to each other phase, and without each of its effects. */
export function mutants(): readonly Mutant[] {
  return PHASES.flatMap((phase) =>
    (Object.keys(TRANSITIONS[phase]) as Trigger[]).flatMap((trigger) => ofOne(phase, trigger)),
  );
}

function ofOne(phase: Phase, trigger: Trigger): readonly Mutant[] {
  const transition = TRANSITIONS[phase][trigger];
  if (transition === undefined) return [];
  const { effects, to } = transition;
  const with_ = (title: string, changed: typeof transition | undefined): Mutant => {
    const { [trigger]: _, ...rest } = TRANSITIONS[phase];
    const row = changed === undefined ? rest : { ...rest, [trigger]: changed };
    return {
      title: `${phase}, ${trigger}: ${title}`,
      transitions: { ...TRANSITIONS, [phase]: row },
    };
  };
  return [
    with_('nothing happens', undefined),
    ...PHASES.filter((other) => other !== to).map((other) =>
      with_(`to ${other}`, { to: other, effects }),
    ),
    ...effects.map((effect) =>
      with_(`no ${effect}`, { to, effects: effects.filter((other) => other !== effect) }),
    ),
  ];
}
