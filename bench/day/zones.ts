/** Where people live, by the clock on their wall. */
export interface Zone {
  /** IANA name of a place that keeps this time, all year round. */
  name: string;
  /** People who keep it, in millions. */
  people: number;
}

/**
 * The population of the world by what their clocks show, in millions, rounded from public estimates of the population of countries in the
 * middle of the decade. A country with several times counts where most of its people live; small ones stand with a larger neighbour that
 * keeps the same time. Users of a service are spread otherwise: this is an assumption, and the widest spread there is.
 */
export const ZONES: readonly Zone[] = [
  { name: 'Pacific/Honolulu', people: 1.5 },
  { name: 'America/Anchorage', people: 0.7 },
  { name: 'America/Los_Angeles', people: 65 },
  { name: 'America/Phoenix', people: 8 },
  { name: 'America/Denver', people: 24 },
  { name: 'America/Mexico_City', people: 167 },
  { name: 'America/Chicago', people: 103 },
  { name: 'America/Bogota', people: 112 },
  { name: 'America/New_York', people: 208 },
  { name: 'America/Caracas', people: 70 },
  { name: 'America/Halifax', people: 2.5 },
  { name: 'America/Santiago', people: 20 },
  { name: 'America/St_Johns', people: 0.5 },
  { name: 'America/Sao_Paulo', people: 203 },
  { name: 'America/Argentina/Buenos_Aires', people: 50 },
  { name: 'Atlantic/Azores', people: 0.7 },
  { name: 'Africa/Abidjan', people: 176 },
  { name: 'Europe/London', people: 83 },
  { name: 'Africa/Lagos', people: 470 },
  { name: 'Africa/Casablanca', people: 38 },
  { name: 'Europe/Berlin', people: 405 },
  { name: 'Africa/Johannesburg', people: 317 },
  { name: 'Africa/Cairo', people: 114 },
  { name: 'Europe/Bucharest', people: 88 },
  { name: 'Asia/Jerusalem', people: 15 },
  { name: 'Africa/Nairobi', people: 355 },
  { name: 'Asia/Riyadh', people: 165 },
  { name: 'Europe/Moscow', people: 119 },
  { name: 'Europe/Istanbul', people: 86 },
  { name: 'Asia/Tehran', people: 89 },
  { name: 'Asia/Dubai', people: 42 },
  { name: 'Asia/Kabul', people: 42 },
  { name: 'Asia/Karachi', people: 335 },
  { name: 'Asia/Kolkata', people: 1_462 },
  { name: 'Asia/Kathmandu', people: 31 },
  { name: 'Asia/Dhaka', people: 182 },
  { name: 'Asia/Yangon', people: 54 },
  { name: 'Asia/Jakarta', people: 442 },
  { name: 'Asia/Shanghai', people: 1_445 },
  { name: 'Asia/Manila', people: 198 },
  { name: 'Asia/Tokyo', people: 202 },
  { name: 'Australia/Adelaide', people: 2 },
  { name: 'Australia/Brisbane', people: 16 },
  { name: 'Australia/Sydney', people: 17 },
  { name: 'Asia/Vladivostok', people: 5 },
  { name: 'Pacific/Guadalcanal', people: 2 },
  { name: 'Pacific/Auckland', people: 5.3 },
  { name: 'Pacific/Tongatapu', people: 0.4 },
];

/** How likely a conversation begins in each hour of the day on the wall clock: people sleep. An assumption; only ratios count. */
export const HOURS: readonly number[] = [
  1, 0.5, 0.3, 0.2, 0.2, 0.5, 1.5, 3, 4, 4.5, 5, 5, 5, 5, 5, 5, 5, 5, 5.2, 5.5, 5.5, 5, 4, 2.5,
];
