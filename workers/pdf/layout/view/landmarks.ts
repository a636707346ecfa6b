/** Known landmarks of the Emirates, and their distances from a place. */

type LandmarkKind = 'sight' | 'shopping' | 'business' | 'airport';

/** Name in English and Arabic, latitude, longitude (WGS 84). */
const landmarks: Readonly<Record<LandmarkKind, readonly (readonly [string, string, number, number])[]>> = {
  sight: [
    ['Burj Khalifa', 'برج خليفة', 25.1972, 55.2744],
    ['Burj Al Arab', 'برج العرب', 25.1412, 55.1853],
    ['Atlantis, The Palm', 'أتلانتس النخلة', 25.1304, 55.1171],
    ['Ain Dubai', 'عين دبي', 25.0796, 55.1237],
    ['Dubai Frame', 'برواز دبي', 25.2355, 55.3004],
    ['Global Village', 'القرية العالمية', 25.0711, 55.3053],
    ['Expo City Dubai', 'مدينة إكسبو دبي', 24.9619, 55.1502],
    ['Sheikh Zayed Grand Mosque', 'جامع الشيخ زايد الكبير', 24.4128, 54.475],
    ['Louvre Abu Dhabi', 'اللوفر أبوظبي', 24.5337, 54.3983],
    ['Yas Marina Circuit', 'حلبة مرسى ياس', 24.4672, 54.6031],
    ['Al Ain Oasis', 'واحة العين', 24.2168, 55.766],
    ['Sharjah Museum of Islamic Civilization', 'متحف الشارقة للحضارة الإسلامية', 25.3614, 55.3876],
    ['Jebel Jais', 'جبل جيس', 25.943, 56.156],
  ],
  shopping: [
    ['The Dubai Mall', 'دبي مول', 25.1985, 55.2796],
    ['Mall of the Emirates', 'مول الإمارات', 25.1181, 55.2006],
    ['Dubai Marina Mall', 'دبي مارينا مول', 25.0763, 55.1404],
    ['Dubai Hills Mall', 'دبي هيلز مول', 25.1023, 55.2397],
    ['Dubai Festival City Mall', 'دبي فستيفال سيتي مول', 25.2221, 55.3521],
    ['Yas Mall', 'ياس مول', 24.4884, 54.6079],
    ['The Galleria Al Maryah Island', 'الغاليريا جزيرة المارية', 24.5025, 54.3902],
    ['City Centre Sharjah', 'سيتي سنتر الشارقة', 25.3247, 55.3932],
    ['Al Hamra Mall', 'الحمرا مول', 25.6838, 55.7837],
  ],
  business: [
    ['DIFC Gate', 'بوابة مركز دبي المالي العالمي', 25.2134, 55.2822],
    ['Dubai World Trade Centre', 'مركز دبي التجاري العالمي', 25.2285, 55.2866],
    ['Dubai Internet City', 'مدينة دبي للإنترنت', 25.0954, 55.1593],
    ['Abu Dhabi Global Market', 'سوق أبوظبي العالمي', 24.5011, 54.388],
  ],
  airport: [
    ['Dubai International Airport', 'مطار دبي الدولي', 25.2532, 55.3657],
    ['Al Maktoum International Airport', 'مطار آل مكتوم الدولي', 24.8961, 55.1614],
    ['Zayed International Airport', 'مطار زايد الدولي', 24.433, 54.6511],
    ['Sharjah International Airport', 'مطار الشارقة الدولي', 25.3286, 55.5172],
    ['Ras Al Khaimah International Airport', 'مطار رأس الخيمة الدولي', 25.6135, 55.9388],
    ['Al Ain International Airport', 'مطار العين الدولي', 24.2617, 55.6092],
    ['Fujairah International Airport', 'مطار الفجيرة الدولي', 25.1122, 56.324],
  ],
};

/** A landmark that is farther away says nothing about a place. */
const maxKm = 60;
const earthRadiusKm = 6_371;

export interface Coordinates {
  latitude: number;
  longitude: number;
}

/** The nearest landmark of each kind with its straight-line distance, the nearest first. */
export function nearestLandmarks(
  place: Coordinates,
): { name: readonly [english: string, arabic: string]; km: number }[] {
  const nearest = Object.values(landmarks).flatMap(ofKind => {
    const found = ofKind.map(([english, arabic, latitude, longitude]) => {
      const km = distanceKm(place, { latitude, longitude });
      return { name: [english, arabic] as const, km };
    });
    return found.sort((a, b) => a.km - b.km).slice(0, 1);
  });
  return nearest.filter(({ km }) => km <= maxKm).sort((a, b) => a.km - b.km);
}

/** Along the great circle (haversine formula). */
export function distanceKm(a: Coordinates, b: Coordinates): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const halfLatitude = Math.sin(radians(b.latitude - a.latitude) / 2);
  const halfLongitude = Math.sin(radians(b.longitude - a.longitude) / 2);
  const square = halfLatitude ** 2 + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * halfLongitude ** 2;
  return 2 * earthRadiusKm * Math.asin(Math.sqrt(square));
}
