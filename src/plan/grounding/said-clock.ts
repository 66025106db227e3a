const minutesOfDay = 1_440;
/** No request names more. */
const maxTimes = 50;
const clockTime = /\b(\d{1,2})(?::(\d{2}))?\s?(a\.?m|p\.?m|o'clock)\b|\b(\d{1,2})[:.h](\d{2})(?!\d)/gi;
const duration = /\b(\d{1,3})\s?(min(?:ute)?s?|h(?:ou)?rs?|h)\b/gi;
/** What times may follow from, in words. */
const inWords = /\b(?:past|quarter|half|to|till|later|earlier|before|after|between|hours?|minutes?|noon|midnight)\b/i;

/** The times of day that a text has in digits. */
export class SaidClock {
  /** In minutes, of a clock with twelve hours. */
  private readonly times: ReadonlySet<number>;
  private readonly isOpen: boolean;

  constructor(text: string) {
    const said = new Set<number>();
    for (const [, hour, minute = "0", , otherHour, otherMinute] of text.matchAll(clockTime)) {
      said.add(onDial(60 * Number(hour ?? otherHour) + Number(hour === undefined ? otherMinute : minute)));
      if (said.size >= maxTimes) break;
    }
    const durations = new Set<number>();
    for (const [, count, unit = ""] of text.matchAll(duration)) {
      durations.add(Number(count) * (unit.toLowerCase().startsWith("h") ? 60 : 1));
      if (durations.size >= maxTimes) break;
    }
    const later = [...said].flatMap((time) =>
      [...durations].flatMap((more) => [onDial(time + more), onDial(time - more)]),
    );
    this.times = new Set([...said, ...later]);
    this.isOpen = durations.size === 0 && inWords.test(text);
  }

  /** Whether a time is one of them; undefined if there are none, or if others may follow. */
  allow(time: string): boolean | undefined {
    if (this.times.size === 0 || this.isOpen) return undefined;
    const [hour = 0, minute = 0] = time.split(":").map(Number);
    return this.times.has(onDial(60 * hour + minute));
  }
}

function onDial(minutes: number): number {
  return ((minutes % (minutesOfDay / 2)) + minutesOfDay / 2) % (minutesOfDay / 2);
}
