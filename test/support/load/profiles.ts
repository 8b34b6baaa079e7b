import { configMap } from './config-map.ts';
import { huge } from './huge.ts';
import { pod } from './pod.ts';
import type { Profile } from './profile.ts';
import { widget } from './widget.ts';

/** What is listed and watched, by name. */
export const PROFILES = {
  'config-map': configMap('ConfigMap 1 kB', 1_000),
  widget,
  pod,
  big: configMap('ConfigMap 200 kB', 200_000),
  huge,
} as const satisfies Readonly<Record<string, Profile>>;

export type ProfileName = keyof typeof PROFILES;

/** @throws Error when there is none of that name. */
export function profileNamed(name: string): Profile {
  const profile: Profile | undefined = Object.entries(PROFILES).find(([key]) => key === name)?.[1];
  if (profile === undefined) throw new Error(`no profile is named ${JSON.stringify(name)}`);
  return profile;
}
