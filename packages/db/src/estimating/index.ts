export {
  estimateNight,
  NIGHT_STEPS,
  type NightQuestion,
  type NightStep,
  type StepEstimate,
} from './night.ts';
