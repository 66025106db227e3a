import { monitorEventLoopDelay } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";

const resolutionMs = 1;
const heapSampleMs = 10;

/** Does the work and gives its wall and CPU time, the peaks of memory and the longest time the event loop stood still. */
export async function observeProcess(work) {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  // The monitor needs a turn before it sees anything, and would count the start of the process.
  await new Promise((resolve) => setTimeout(resolve, 50));
  delay.reset();
  let peakHeap = 0;
  const sampleHeap = () => {
    peakHeap = Math.max(peakHeap, getHeapStatistics().used_heap_size);
  };
  const sampler = setInterval(sampleHeap, heapSampleMs);
  const started = performance.now();
  const cpuBefore = process.cpuUsage();
  await work();
  const wallMs = performance.now() - started;
  const { user, system } = process.cpuUsage(cpuBefore);
  sampleHeap();
  clearInterval(sampler);
  // A last turn, so that the monitor sees what held up the one before it.
  await new Promise((resolve) => setTimeout(resolve, 5));
  delay.disable();
  return {
    wallMs,
    cpuMs: (user + system) / 1_000,
    peakRssMb: process.resourceUsage().maxRSS / 1_000,
    peakHeapMb: peakHeap / 1e6,
    longestDelayMs: delay.max / 1e6 - resolutionMs,
  };
}
