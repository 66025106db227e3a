// Tools of a restaurant, for `planwright chat --tools ./bookings.ts`.
import { defineTool } from "planwright";
import * as z from "zod/v4";

const bookingSchema = z.object({ booking: z.number(), name: z.string(), at: z.iso.datetime() });
const tonight = (time: string) => `${new Date().toISOString().slice(0, 10)}T${time}:00Z`;
const bookings = new Map(
  [
    { booking: 131, name: "Patel", at: tonight("18:30") },
    { booking: 132, name: "Okafor", at: tonight("19:00") },
    { booking: 133, name: "Moreau", at: tonight("20:00") },
  ].map((each) => [each.booking, each]),
);

function findBooking(booking: number) {
  const found = bookings.get(booking);
  if (found === undefined) throw new Error(`There is no booking ${booking}.`);
  return found;
}

export default [
  defineTool({
    name: "ShowBookings",
    description: "Shows the bookings of tonight",
    inputSchema: z.object({}),
    outputSchema: z.object({ bookings: z.array(bookingSchema) }),
    effect: "pure",
    phrases: ["show [me] [the] bookings"],
    execute: () => ({ bookings: [...bookings.values()] }),
  }),
  defineTool({
    name: "MoveBooking",
    description: "Moves a booking to another time",
    inputSchema: z.object({ booking: z.number(), at: z.iso.datetime() }),
    outputSchema: bookingSchema,
    effect: "idempotent",
    phrases: ["move booking {booking} to {at}"],
    execute: ({ booking, at }) => ({ ...Object.assign(findBooking(booking), { at }) }),
  }),
  defineTool({
    name: "CancelBooking",
    description: "Cancels a booking",
    inputSchema: z.object({ booking: z.number() }),
    outputSchema: bookingSchema,
    effect: "once",
    needsApproval: true,
    phrases: ["cancel booking {booking}"],
    execute: ({ booking }) => {
      const found = findBooking(booking);
      bookings.delete(booking);
      return found;
    },
  }),
];
