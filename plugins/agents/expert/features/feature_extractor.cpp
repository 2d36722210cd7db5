#include "features/feature_extractor.h"
namespace kernelskill::expert { Result<Features> extractFeatures(const Candidate &) { return Features{}; } }
