// kill matrix: judge random scenarios with each journal mutant
#include "properties/property.hpp"
#include "model/workload/workloads.hpp"
#include "model/core/mutant.hpp"
#include "model/core/random.hpp"
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <chrono>
using namespace elvcheck;
Scenario draw(SplitMix64&n,const char*sched){
  Scenario s; s.scheduler=sched; s.block.hz=n.below(2)?1000:250;
  s.device.preset = n.below(2)?"flat":"enterprise-array-2010";
  if(s.device.preset=="flat"){ bool vc=n.below(2); s.device.parameters={{"capacity_sectors",4<<20},{"volatile_cache",vc},{"fua",vc&&n.below(2)},{"service_ns",(int64_t)(100000+n.below(3000000))},{"queue_depth",(int64_t)(1+n.below(4))}};}
  const char*names[]={"fs_mark","iozone","journal-only"};
  const WorkloadInfo&info=*find_workload(names[n.below(3)]);
  s.workload.name=info.name;
  for(auto&p:info.parameters){ int64_t most=p.random_max<0?p.max:p.random_max; uint64_t r=(uint64_t)(most-p.min)+1; int64_t d=p.min+(int64_t)n.below(r); if(n.below(4)==0){int64_t c[]={p.min,most,std::min(p.usual,most)}; d=c[n.below(3)];} s.workload.parameters.push_back({p.name,d}); }
  return s;
}
int main(int argc,char**argv){
  int cases=atoi(argv[1]); const char* only=argc>2?argv[2]:nullptr;
  const char*scheds[]={"deadline-2.6.35","cfq-2.6.35","cfq-4.19","mq-deadline-6.1","none-6.1","bfq-6.1"};
  std::vector<std::string> ms={""}; for(auto&m:mutants()) if(!strncmp(m.name,"journal.",8)) ms.push_back(m.name);
  for(auto&m:ms){ if(only&&m!=only) continue; SplitMix64 n(7); std::map<std::string,int> hits; int invalid=0,broken=0; uint64_t events=0; auto t0=std::chrono::steady_clock::now();
    int first=-1;
    for(int i=0;i<cases;i++){ Scenario s=draw(n,scheds[n.below(6)]); s.mutant=m; if(s.scheduler.substr(0,3)=="cfq"&&n.below(2)) s.tunables.push_back({"journal-yield",1});
      s.limit=60s;
      try{ bool any=false; for(auto&v:judge_scenario(s,"*")) if(v.violation){ any=true; std::string k=std::string(v.property->name)+"/"+v.violation->rule; if(!hits[k]++ && m.empty()) { printf("  case %d %s: %s [%s %s %s]\n",i,k.c_str(),v.violation->message.c_str(),s.scheduler.c_str(),s.device.preset.c_str(),s.workload.name.c_str()); for(auto&p:s.device.parameters)printf(" %s=%lld",p.name.c_str(),(long long)p.value); puts(""); for(auto&p:s.workload.parameters)printf(" %s=%lld",p.name.c_str(),(long long)p.value); puts(""); for(auto&p:s.tunables)printf(" %s=%lld",p.name.c_str(),(long long)p.value); puts(""); } } if(any&&first<0) first=i; }
      catch(std::invalid_argument&e){ if(invalid++<2) printf("  invalid: %s\n",e.what()); }
      catch(std::exception&e){ if(broken++<2) printf("  broken: %s\n",e.what()); }
    }
    double sec=std::chrono::duration<double>(std::chrono::steady_clock::now()-t0).count();
    printf("%s first %d invalid %d broken %d %.1fs:",m.empty()?"(none)":m.c_str(),first,invalid,broken,sec); for(auto&[k,c]:hits) printf(" %s x%d",k.c_str(),c); puts(""); fflush(stdout);
  }
}
